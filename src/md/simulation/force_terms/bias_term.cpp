// The term of collective variables and biases, from an input.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "md/core/unit_constants.hpp"
#include "md/forces/bias/bias_forces.hpp"
#include "md/forces/bias/input/bias_physics.hpp"
#include "md/forces/bias/input/bias_sections.hpp"
#include "md/input/atom_groups.hpp"
#include "md/simulation/force_term_table.hpp"
#include "md/simulation/starting/reference_file.hpp"

namespace sterna::md {
namespace {

BiasForces::Variable variable_of(const TermRequest& request, std::size_t n) {
  const Input& input = request.input;
  const VariableSection& section = input.tables<VariableSection>()[n];
  static const Topology no_molecules;
  const Topology& topology = request.places ? request.places->topology() : no_molecules;
  BiasForces::Variable made;
  made.options = section;
  made.groups = groups_from_input(input, topology, section.groups);
  if (section.reference_file.empty()) return made;
  made.read_places = [context = request.context, &input, n,
                      &box = request.box](const BiasForces::TakePlaces& take) {
    read_reference_file(context, input,
                        {input.tables<VariableSection>()[n].reference_file,
                         fmt::format("variable[{}].reference_file", n)},
                        box, [&](std::span<const Restraints::PlaceOfAtom> some, const Box&) {
                          std::vector<std::int64_t> ids;
                          std::vector<Vec3> places;
                          for (const auto& one : some) {
                            ids.push_back(one.id);
                            places.push_back(one.place);
                          }
                          take(ids, places);
                        });
  };
  return made;
}

BiasOptions options_of(const BiasSection& section, const Input& input) {
  const auto& variables = input.tables<VariableSection>();
  BiasOptions made;
  made.name = section.name;
  made.kind = section.kind;
  std::vector<double> units;  // of the variables
  bool is_angle = false;      // whether the first variable is one
  for (const std::string& name : section.all_variables()) {
    const auto found = std::ranges::find(variables, name, &VariableSection::name);
    const auto& row = variable_table().get(found->kind);
    if (units.empty()) is_angle = row.unit == VariableUnit::angle;
    units.push_back(unit_of(row, input.units));
    made.variables.push_back(
        {.index = static_cast<std::size_t>(found - variables.begin()), .name = name});
  }
  const double unit = units.front();
  // Energies are per unit of the input, or per radian.
  const double per = is_angle ? 1.0 : unit;
  made.center = unit * section.center;
  made.end_center = unit * section.end_center;
  made.start_step = section.start_step;
  made.stop_step = section.stop_step;
  made.stiffness = section.stiffness / (per * per);
  made.force = section.force / per;
  made.is_above = section.side == BiasSection::Side::above;
  made.height = section.height;
  for (std::size_t d = 0; d < section.widths.size(); ++d) {
    made.widths.push_back(section.widths[d] * units[d]);
  }
  made.interval = section.interval;
  made.bias_factor = section.bias_factor;
  made.thermal_energy = input.units.boltzmann() *
                        section.temperature.value_or(temperature_of_run(input).value_or(0.0));
  return made;
}

std::unique_ptr<ForceTerm> make_bias_forces(const TermRequest& request) {
  const Input& input = request.input;
  const std::size_t count = input.tables<VariableSection>().size();
  if (count == 0) return nullptr;
  std::vector<BiasForces::Variable> variables;
  for (std::size_t n = 0; n < count; ++n) variables.push_back(variable_of(request, n));
  std::vector<BiasOptions> biases;
  for (const BiasSection& section : input.tables<BiasSection>()) {
    biases.push_back(options_of(section, input));
  }
  BiasForces::Options options{.interval = input.section<VariableOutput>().interval,
                              .thermal_energy = {},
                              .standard_volume = {}};
  if (const auto temperature = temperature_of_run(input)) {
    options.thermal_energy = input.units.boltzmann() * *temperature;
  }
  if (!input.units.is_reduced()) options.standard_volume = 1.0 / unit::mol_per_l;
  return std::make_unique<BiasForces>(request.context, request.box, std::move(variables),
                                      std::move(biases), request.interaction.masses(), options);
}

}  // namespace

ForceTermRow force_term::bias() {
  return {"bias", "collective variables and biases on them", make_bias_forces, physics::bias};
}

}  // namespace sterna::md
