#include "md/input/particle_description.hpp"

#include <cmath>

#include "md/core/json.hpp"
#include "md/input/component_frames.hpp"
#include "md/input/particle_names.hpp"
#include "md/input/residue_labels.hpp"

namespace sterna::md {
namespace {

Json json_of(const Vec3& v) {
  return {v.x, v.y, v.z};
}

Json json_of(const Input::Site& site, const BodyFrame& frame) {
  Json json{{"kind", choice_name(*site.kind)},
            {"position", json_of(frame.from_points(site.position))},
            {"mass", site.mass}};
  if (site.kind == SiteKind::lennard_jones) {
    json["epsilon"] = site.epsilon;
    json["sigma"] = site.sigma;
  } else if (site.kind == SiteKind::charge) {
    json["charge"] = site.charge;
  } else {
    const Vec3 axis = site.axis * (1.0 / std::sqrt(dot(site.axis, site.axis)));
    json["axis"] = json_of(frame.orientation.to_body(axis));
    json["moment"] = site.moment;
  }
  return json;
}

Json json_of(const Input::Component& component) {
  const BodyFrame frame = body_frame_of(component);
  Json sites = Json::array();
  for (const Input::Site& site : component.sites) sites.push_back(json_of(site, frame));
  return {{"name", component.name}, {"inertia", json_of(frame.inertia)}, {"sites", sites}};
}

Json json_of(const Topology::Molecule& molecule, const Input& input, const Input::Molecule& given) {
  const double charge_factor = std::sqrt(input.units.coulomb());
  const std::vector<std::string_view> names = particle_names(input);
  Json atoms = Json::array(), bonds = Json::array(), constraints = Json::array();
  for (std::size_t n = 0; n < molecule.atoms.size(); ++n) {
    const Topology::Atom& atom = molecule.atoms[n];
    Json& json =
        atoms.emplace_back(Json{{"name", atom.name},
                                {"type", std::string(names[static_cast<std::size_t>(atom.type)])},
                                {"charge", atom.charge / charge_factor}});
    if (!atom.residue.empty()) json["residue"] = atom.residue;
    if (atom.residue_number) json["residue_number"] = *atom.residue_number;
    if (!given.atoms[n].insertion_code.empty()) {
      json["insertion_code"] = given.atoms[n].insertion_code;
    }
    if (!given.atoms[n].chain.empty()) json["chain"] = given.atoms[n].chain;
  }
  for (const auto& [a, b] : molecule.bonds) bonds.push_back({a, b});
  for (const Topology::Constraint& one : molecule.constraints) {
    constraints.push_back({one.atoms[0], one.atoms[1], one.distance});
  }
  return {
      {"name", molecule.name}, {"atoms", atoms}, {"bonds", bonds}, {"constraints", constraints}};
}

}  // namespace

std::string particle_description(const Input& input, const Topology& topology) {
  Json json{{"format", 1}, {"units", std::string(input.units.name())}};
  for (const Input::Type& type : input.types) {
    json["types"].push_back({{"name", type.name}, {"mass", type.mass}, {"charge", type.charge}});
  }
  for (const Input::Component& component : input.components) {
    json["components"].push_back(json_of(component));
  }
  // The topology has kinds and runs in the order of the input's molecules.
  for (std::size_t n = 0; n < topology.molecules().size(); ++n) {
    json["molecules"].push_back(json_of(topology.molecules()[n], input, input.molecules[n]));
  }
  for (const Topology::Run& run : topology.runs()) {
    json["runs"].push_back({run.molecule, run.count});
    Json numbers = Json::array();
    for (const Topology::Numbers& some : run.residue_numbers) {
      numbers.push_back({some.first, some.count});
    }
    json["residue_numbers"].push_back(numbers);
  }
  for (const Input::Molecule& molecule : input.molecules) {
    Json chains = Json::array();
    for (const auto& [name, count] : chains_of(molecule)) chains.push_back({name, count});
    json["chains"].push_back(chains);
    Json codes = Json::array();
    for (const auto& [at, code] : insertion_codes_of(molecule)) {
      codes.push_back({at, std::string(1, code)});
    }
    json["insertion_codes"].push_back(codes);
  }
  return json_text(json);
}

}  // namespace sterna::md
