#include "md/input/molecule_model_from_input.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sterna::md {
namespace {

Vec3 unit_vector(const Vec3& v) {
  return v * (1.0 / std::sqrt(dot(v, v)));
}

std::size_t index_of(const MoleculeModel& model, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(model.components, name, &Component::name) -
                                  model.components.begin());
}

/// An atom as molecules see it.
Component atom_from_input(const Input& input, std::size_t type) {
  const Input::Type& given = input.types[type];
  Component atom;
  atom.name = given.name;
  atom.mass = given.mass;
  atom.lennard_jones = {{{}, given.epsilon, given.sigma}};
  if (const double charge = charge_of_atoms(input, type).value_or(0.0); charge != 0.0) {
    atom.charges = {{{}, std::sqrt(input.units.coulomb()) * charge}};
  }
  return atom;
}

struct AtomsByPlace {
  std::vector<Vec3> places;
  std::vector<std::size_t> of_sites;
};

AtomsByPlace atoms_by_place(const Input::Component& component) {
  const BodyFrame frame = body_frame_of(component);
  double size = 0.0;
  for (const Input::Site& site : component.sites) {
    size = std::max(size, length(frame.from_points(site.position)));
  }
  const double same_place = 1e-9 * size;
  AtomsByPlace atoms;
  for (const Input::Site& site : component.sites) {
    const Vec3 place = frame.from_points(site.position);
    const auto known = std::ranges::find_if(atoms.places, [&](const Vec3& other) {
      const Vec3 d = other - place;
      return length(d) <= same_place;
    });
    atoms.of_sites.push_back(static_cast<std::size_t>(known - atoms.places.begin()));
    if (known == atoms.places.end()) atoms.places.push_back(place);
  }
  return atoms;
}

}  // namespace

BodyFrame body_frame_of(const Input::Component& component) {
  std::vector<PointMass> masses;
  for (const Input::Site& site : component.sites) masses.push_back({site.position, site.mass});
  BodyFrame frame = body_frame(masses);
  if (component.inertia) {
    frame.orientation = {};
    frame.inertia = *component.inertia;
  }
  return frame;
}

std::vector<Vec3> atom_places(const Input::Component& component) {
  return atoms_by_place(component).places;
}

std::vector<std::size_t> atoms_of_sites(const Input::Component& component) {
  return atoms_by_place(component).of_sites;
}

std::vector<std::vector<Vec3>> atom_places_of_particles(const Input& input) {
  if (input.components.empty()) return {};
  std::vector<std::vector<Vec3>> places(input.types.size(), {Vec3{}});
  for (const Input::Component& component : input.components) {
    places.push_back(atom_places(component));
  }
  return places;
}

std::vector<Vec3> inertia_of_particles(const Input& input) {
  if (input.components.empty()) return {};
  std::vector<Vec3> inertia(input.types.size());
  for (const Input::Component& component : input.components) {
    inertia.push_back(body_frame_of(component).inertia);
  }
  return inertia;
}

Component component_from_input(const Input::Component& component, const UnitSystem& units) {
  const BodyFrame frame = body_frame_of(component);
  const double charge_factor = std::sqrt(units.coulomb());
  Component result;
  result.name = component.name;
  result.mass = 0.0;
  result.inertia = frame.inertia;
  for (const Input::Site& site : component.sites) {
    result.mass += site.mass;
    const Vec3 position = frame.from_points(site.position);
    if (site.kind == SiteKind::lennard_jones) {
      result.lennard_jones.push_back({position, site.epsilon, site.sigma});
    } else if (site.kind == SiteKind::charge) {
      result.charges.push_back({position, charge_factor * site.charge});
    } else {
      const Vec3 axis = frame.orientation.to_body(unit_vector(site.axis));
      if (site.kind == SiteKind::dipole) {
        result.dipoles.push_back({position, charge_factor * site.moment * axis});
      } else {
        result.quadrupoles.push_back({position, axis, charge_factor * site.moment});
      }
    }
  }
  return result;
}

Vec3 dipole_of(const Component& component) {
  Vec3 dipole;
  for (const auto& site : component.charges) dipole += site.charge * site.position;
  for (const auto& site : component.dipoles) dipole += site.moment;
  return dipole;
}

std::optional<double> charge_of_atoms(const Input& input, std::size_t type) {
  const Input::Type& given = input.types[type];
  if (input.molecules.empty()) return given.charge;
  std::optional<double> charge;
  for (const Input::Molecule& molecule : input.molecules) {
    for (const Input::MoleculeAtom& atom : molecule.atoms) {
      if (atom.type != given.name) continue;
      const double of_atom = atom.charge.value_or(given.charge);
      if (charge && *charge != of_atom) return std::nullopt;
      charge = of_atom;
    }
  }
  return charge.value_or(0.0);
}

MoleculeModel molecule_model_from_input(const Input& input) {
  const auto& interaction = input.interaction;
  MoleculeModel model;
  model.atom_types = input.types.size();
  model.rule = interaction.mixing;
  for (std::size_t type = 0; type < model.atom_types; ++type) {
    model.components.push_back(atom_from_input(input, type));
  }
  for (const Input::Component& component : input.components) {
    model.components.push_back(component_from_input(component, input.units));
  }
  const std::size_t count = model.components.size();
  model.mixing.resize(count * count);
  for (const Input::Pair& pair : input.pairs) {
    const std::size_t a = index_of(model, pair.first), b = index_of(model, pair.second);
    const MoleculeModel::Mixing mixing{.eta = pair.eta.value_or(1.0), .xi = pair.xi.value_or(1.0)};
    model.mixing[a * count + b] = model.mixing[b * count + a] = mixing;
  }
  model.shifted.assign(count * count, interaction.truncation == Truncation::shifted);
  if (interaction.shift_unlike_components) {
    for (std::size_t k = 0; k < count * count; ++k) {
      if (k / count != k % count) model.shifted[k] = 1;
    }
  }
  model.cutoff_kind = interaction.molecular_cutoff == MolecularCutoff::site
                          ? MoleculeModel::Cutoff::site
                          : MoleculeModel::Cutoff::center_of_mass;
  model.cutoff = interaction.cutoff;
  model.lennard_jones_cutoff = interaction.lennard_jones_cutoff > 0.0
                                   ? interaction.lennard_jones_cutoff
                                   : interaction.cutoff;
  if (input.electrostatics.is_used()) {
    model.electrostatics = MoleculeModel::Electrostatics::none;
  } else if (interaction.electrostatics == CutoffElectrostatics::reaction_field) {
    model.electrostatics = MoleculeModel::Electrostatics::reaction_field;
  } else {
    model.electrostatics = MoleculeModel::Electrostatics::truncated;
  }
  model.reaction_field_epsilon = interaction.reaction_field_epsilon;
  return model;
}

}  // namespace sterna::md
