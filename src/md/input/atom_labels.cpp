#include "md/input/atom_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "md/input/component_frames.hpp"
#include "md/model/element.hpp"
#include "sterna/comm/joined.hpp"

namespace sterna::md {
namespace {

std::optional<double> mass_in_u(const Input& input, double mass) {
  return input.units.is_reduced() ? std::nullopt : std::optional<double>(mass);
}

/// An atom of a rigid molecule: all sites at the same position.
struct AtomOfSites {
  double mass = 0.0, charge = 0.0;
  std::vector<std::string> kinds;  ///< kinds of its sites; different in different types
};

std::vector<AtomOfSites> atoms_of(const Input::Component& component) {
  std::vector<AtomOfSites> atoms(atom_places(component).size());
  const std::vector<std::size_t> atom_of_site = atoms_of_sites(component);
  for (std::size_t n = 0; n < component.sites.size(); ++n) {
    const Input::Site& site = component.sites[n];
    AtomOfSites& atom = atoms[atom_of_site[n]];
    atom.mass += site.mass;
    if (*site.kind == SiteKind::charge) atom.charge += site.charge;
    atom.kinds.push_back(fmt::format("{} {} {} {} {}", choice_name(*site.kind), site.epsilon,
                                     site.sigma, site.charge, site.moment));
  }
  for (AtomOfSites& atom : atoms) std::ranges::sort(atom.kinds);
  return atoms;
}

std::vector<AtomLabel> labels_of(const Input& input, const Input::Component& component) {
  const std::vector<AtomOfSites> atoms = atoms_of(component);
  const bool alone = atoms.size() == 1;
  std::vector<std::string> letters;
  std::vector<AtomLabel> labels;
  for (const AtomOfSites& atom : atoms) {
    const std::string_view element =
        element_of(alone ? component.name : "", mass_in_u(input, atom.mass));
    labels.push_back({std::string(element), "", "", atom.charge});
    letters.emplace_back(!element.empty() ? element : atom.mass == 0.0 ? "M" : "X");
  }
  std::map<std::string, std::string> types;
  std::map<std::string, int> types_of_letter;
  for (std::size_t n = 0; n < atoms.size(); ++n) {
    if (alone) {
      labels[n].name = labels[n].type = component.name;
      continue;
    }
    const auto upto = letters.begin() + static_cast<std::ptrdiff_t>(n) + 1;
    labels[n].name = letters[n];
    if (std::ranges::count(letters, letters[n]) > 1) {
      labels[n].name += std::to_string(std::count(letters.begin(), upto, letters[n]));
    }
    const std::string key = fmt::format("{} {} {} {}", letters[n], atoms[n].mass, atoms[n].charge,
                                        comm::joined(atoms[n].kinds, ";"));
    const auto [known, is_new] = types.try_emplace(key, letters[n]);
    if (is_new) {
      const int before = types_of_letter[letters[n]]++;
      if (before > 0) known->second += std::to_string(before + 1);
    }
    labels[n].type = known->second;
  }
  return labels;
}

}  // namespace

std::vector<std::vector<AtomLabel>> labels_of_particles(const Input& input) {
  std::vector<std::vector<AtomLabel>> labels;
  std::map<std::string, std::set<std::size_t>> used;
  for (const Input::Type& type : input.types) {
    const std::string_view element = element_of(type.name, mass_in_u(input, type.mass));
    used[type.name].insert(labels.size());
    labels.push_back({{std::string(element), type.name, type.name, type.charge}});
  }
  const std::size_t types = labels.size();
  for (const Input::Component& component : input.components) {
    for (const AtomLabel& label : labels.emplace_back(labels_of(input, component))) {
      used[label.type].insert(labels.size());
    }
  }
  for (std::size_t n = types; n < labels.size(); ++n) {
    for (AtomLabel& label : labels[n]) {
      if (used[label.type].size() < 2) continue;
      label.type = input.components[n - types].name + ":" + label.type;
    }
  }
  return labels;
}

std::vector<AtomLabel> labels_of_molecule(const Input& input, const Topology::Molecule& molecule) {
  const double charge_factor = std::sqrt(input.units.coulomb());
  std::vector<AtomLabel> labels;
  for (const Topology::Atom& atom : molecule.atoms) {
    if (atom.type >= static_cast<std::int64_t>(input.types.size())) continue;
    const Input::Type& type = input.types[static_cast<std::size_t>(atom.type)];
    const std::string_view element = element_of(atom.name, mass_in_u(input, type.mass));
    labels.push_back({std::string(element), atom.name, type.name, atom.charge / charge_factor});
  }
  return labels;
}

}  // namespace sterna::md
