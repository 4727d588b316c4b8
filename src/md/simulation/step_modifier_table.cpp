// The only list of all kinds of step modifiers. They act in the order of the rows.

#include "md/simulation/step_modifier_table.hpp"

#include "md/core/registry.hpp"
#include "md/integrate/thermostats/thermostat_table.hpp"
#include "md/simulation/external_terms.hpp"
#include "md/simulation/momentum_control.hpp"

namespace sterna::md {
namespace {

/// A kind of step modifier.
struct StepModifierRow {
  std::string_view name;
  /// Appends those of the kind that the input asks for.
  void (*make)(const comm::Context& context, const Input& input, const MoleculeTable& molecules,
               std::vector<std::unique_ptr<StepModifier>>& modifiers);
};

const Registry<StepModifierRow>& modifier_table() {
  static const Registry<StepModifierRow> table("step modifier",
                                               {{"thermostats", make_thermostats},
                                                {"drift_controls", make_drift_controls},
                                                {"motion_limits", make_motion_limits},
                                                {"alignment", make_alignment},
                                                {"reflecting_walls", make_reflecting_walls}});
  return table;
}

}  // namespace

std::vector<std::unique_ptr<StepModifier>> make_step_modifiers(const comm::Context& context,
                                                               const Input& input,
                                                               const MoleculeTable& molecules) {
  std::vector<std::unique_ptr<StepModifier>> modifiers;
  for (const StepModifierRow& row : modifier_table()) {
    row.make(context, input, molecules, modifiers);
  }
  return modifiers;
}

}  // namespace sterna::md
