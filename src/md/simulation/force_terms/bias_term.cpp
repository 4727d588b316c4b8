// The term of collective variables and biases, from an input.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "md/forces/bias/bias_forces.hpp"
#include "md/forces/bias/input/bias_physics.hpp"
#include "md/forces/bias/input/bias_sections.hpp"
#include "md/input/atom_groups.hpp"
#include "md/simulation/force_term_table.hpp"
#include "md/simulation/starting/reference_file.hpp"

namespace sterna::md {
namespace {

std::unique_ptr<ForceTerm> make_bias_forces(const TermRequest& request) {
  const Input& input = request.input;
  const auto& sections = input.tables<VariableSection>();
  if (sections.empty()) return nullptr;
  static const Topology no_molecules;
  const Topology& topology = request.places ? request.places->topology() : no_molecules;
  std::vector<BiasForces::Variable> variables;
  std::vector<double> units;
  for (std::size_t n = 0; n < sections.size(); ++n) {
    BiasForces::Variable& made = variables.emplace_back();
    made.options = sections[n];
    made.groups = groups_from_input(input, topology, sections[n].groups);
    units.push_back(unit_of(variable_table().get(sections[n].kind), input.units));
    if (sections[n].reference_file.empty()) continue;
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
  }
  std::vector<BiasOptions> biases;
  for (const BiasSection& section : input.tables<BiasSection>()) {
    BiasOptions& made = biases.emplace_back();
    made.name = section.name;
    made.kind = section.kind;
    for (const std::string& name : section.all_variables()) {
      const auto found = std::ranges::find(sections, name, &VariableSection::name);
      made.variables.push_back(
          {.index = static_cast<std::size_t>(found - sections.begin()), .name = name});
    }
    const double unit = units[made.variables.front().index];
    // Energies are per unit of the input, or per radian.
    const bool is_angle = variable_table().get(sections[made.variables.front().index].kind).unit ==
                          VariableUnit::angle;
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
      made.widths.push_back(section.widths[d] * units[made.variables[d].index]);
    }
    made.interval = section.interval;
    made.bias_factor = section.bias_factor;
    made.thermal_energy = input.units.boltzmann() *
                          section.temperature.value_or(temperature_of_run(input).value_or(0.0));
  }
  BiasForces::Options options{.interval = input.section<VariableOutput>().interval,
                              .thermal_energy = {}};
  if (const auto temperature = temperature_of_run(input)) {
    options.thermal_energy = input.units.boltzmann() * *temperature;
  }
  return std::make_unique<BiasForces>(request.context, request.box, std::move(variables),
                                      std::move(biases), request.interaction.masses(), options);
}

}  // namespace

ForceTermRow force_term::bias() {
  return {"bias", "collective variables and biases on them", make_bias_forces, physics::bias};
}

}  // namespace sterna::md
