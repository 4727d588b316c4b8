#include "md/observe/check_inserted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "md/core/display_text.hpp"
#include "md/forces/coulomb/input/charge_solver_row.hpp"
#include "md/input/component_frames.hpp"
#include "md/input/input_schema.hpp"
#include "md/input/many_body_input.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

bool is_insertion_charged(const Input& input, std::size_t kind) {
  if (kind < input.types.size()) return charge_of_atoms(input, kind).value_or(1.0) != 0.0;
  double charge = 0.0, largest = 0.0;
  for (const Input::Site& site : input.components[kind - input.types.size()].sites) {
    if (site.kind != SiteKind::charge) continue;
    charge += site.charge;
    largest = std::max(largest, std::abs(site.charge));
  }
  return std::abs(charge) > 1e-9 * largest;
}

}  // namespace

std::vector<std::string> inserted_kind_names(const Input& input) {
  std::vector<std::string> names;
  for (const Input::Type& type : input.types) names.push_back(type.name);
  for (const Input::Component& component : input.components) names.push_back(component.name);
  return names;
}

std::string why_not_inserted(const Input& input, std::size_t kind) {
  if (kind < input.types.size()) {
    const std::string& name = input.types[kind].name;
    for (const Input::Molecule& molecule : input.molecules) {
      if (std::ranges::any_of(molecule.atoms,
                              [&](const auto& atom) { return atom.type == name; })) {
        return fmt::format("is an atom of the flexible molecule {}, of which no part is inserted",
                           quote(molecule.name));
      }
    }
    if (many_body_kind(input, kind) != ManyBodyKind::none) {
      return "has a potential of many bodies, which insertions do not compute";
    }
  }
  if (is_insertion_charged(input, kind)) {
    return "has a charge: the energy of one more ion depends on what neutralizes the box";
  }
  const Input::Electrostatics& electrostatics = input.electrostatics;
  if (kind < input.types.size() || !electrostatics.is_used()) return {};
  const bool is_far = !electrostatics.ends_at_cutoff() &&
                      electrostatics.surroundings == ElectrostaticsSurroundings::conductor;
  for (const Input::Site& site : input.components[kind - input.types.size()].sites) {
    const bool acts =
        (site.kind == SiteKind::charge && site.charge != 0.0) || site.kind == SiteKind::dipole;
    if (acts && !is_far) {
      return "has charges or dipoles; insertions compute these with kind = " +
             charge_solver_names() +
             " and surroundings = \"conductor\", or without [electrostatics]";
    }
  }
  return {};
}

std::string why_name_is_not_inserted(const Input& input, const std::string& name) {
  const std::vector<std::string> names = inserted_kind_names(input);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) {
    const std::string why =
        why_not_inserted(input, static_cast<std::size_t>(found - names.begin()));
    return why.empty() ? why : fmt::format("{} {}", quote(name), why);
  }
  const auto is_called = [&](const Input::Molecule& molecule) { return molecule.name == name; };
  if (std::ranges::any_of(input.molecules, is_called)) {
    return fmt::format("{} is a flexible molecule; only atoms and rigid molecules are inserted",
                       quote(name));
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto near = comm::nearest_name(name, known);
  return fmt::format(
      "there is no [[type]] or [[component]] with the name {}; {}", quote(name),
      near ? fmt::format("did you mean {}?", quote(*near)) : "expected " + choice_list(known));
}

double insertion_temperature(const Input& input) {
  for (const Input::Thermostat& thermostat : input.thermostats) {
    if (thermostat.is_used()) return thermostat.temperature;
  }
  return 0.0;
}

bool has_several_temperatures(const Input& input) {
  return std::ranges::any_of(input.thermostats, [&](const Input::Thermostat& thermostat) {
    return thermostat.is_used() && thermostat.temperature != insertion_temperature(input);
  });
}

}  // namespace sterna::md
