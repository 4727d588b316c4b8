// The one place that knows which step modifiers there are. They act in the order of the rows.

#include "md/simulation/step_modifier_table.hpp"

#include <algorithm>

#include "md/integrate/thermostats/thermostat_table.hpp"
#include "md/simulation/external_terms.hpp"
#include "md/simulation/momentum_control.hpp"

namespace sterna::md {
namespace {

struct Row {
  /// Appends those that the input asks for.
  void (*make)(const comm::Context& context, const Input& input, const MoleculeTable& molecules,
               std::vector<std::unique_ptr<StepModifier>>& modifiers);
  bool (*keeps_momentum)(const Input& input);
};

constexpr Row rows[] = {
    {make_thermostats, thermostats_keep_momentum},
    {make_drift_controls, [](const Input& input) { return input.drift_controls.empty(); }},
    {make_motion_limits, [](const Input& input) { return input.limits.empty(); }},
    {make_alignment, [](const Input&) { return true; }},
    {make_reflecting_walls, reflecting_walls_keep_momentum},
};

}  // namespace

std::vector<std::unique_ptr<StepModifier>> make_step_modifiers(const comm::Context& context,
                                                               const Input& input,
                                                               const MoleculeTable& molecules) {
  std::vector<std::unique_ptr<StepModifier>> modifiers;
  for (const Row& row : rows) row.make(context, input, molecules, modifiers);
  return modifiers;
}

bool step_modifiers_keep_momentum(const Input& input) {
  return std::ranges::all_of(rows, [&](const Row& row) { return row.keeps_momentum(input); });
}

}  // namespace sterna::md
