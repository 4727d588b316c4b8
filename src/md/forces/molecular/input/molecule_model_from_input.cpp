#include "md/forces/molecular/input/molecule_model_from_input.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "md/input/component_frames.hpp"

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

}  // namespace

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
    const MoleculeModel::Mixing mixing{
        .eta = pair.eta.value_or(1.0), .xi = pair.xi.value_or(1.0), .rule = pair.mixing};
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
