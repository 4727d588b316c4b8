// The only list of all kinds of step modifiers. They act in the order of the rows.

#include "md/simulation/step_modifier_table.hpp"

#include "md/integrate/thermostats/thermostat_table.hpp"
#include "md/simulation/external_terms.hpp"
#include "md/simulation/momentum_control.hpp"

namespace sterna::md {
namespace {

/// Appends the step modifiers of one kind that the input asks for.
using MakeModifiers = void (*)(const comm::Context& context, const Input& input,
                               const MoleculeTable& molecules,
                               std::vector<std::unique_ptr<StepModifier>>& modifiers);

constexpr MakeModifiers rows[] = {make_thermostats, make_drift_controls, make_motion_limits,
                                  make_alignment, make_reflecting_walls};

}  // namespace

std::vector<std::unique_ptr<StepModifier>> make_step_modifiers(const comm::Context& context,
                                                               const Input& input,
                                                               const MoleculeTable& molecules) {
  std::vector<std::unique_ptr<StepModifier>> modifiers;
  for (const MakeModifiers make : rows) make(context, input, molecules, modifiers);
  return modifiers;
}

}  // namespace sterna::md
