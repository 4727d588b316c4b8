#pragma once

#include <memory>
#include <vector>

#include "md/simulation/step_modifier.hpp"

namespace sterna::md {

/// Appends what keeps the temperature as [thermostat] says; nothing for those of kind "none".
void make_thermostats(const comm::Context& context, const Input& input,
                      const MoleculeTable& molecules,
                      std::vector<std::unique_ptr<StepModifier>>& modifiers);

/// Whether all thermostats of the input leave the total momentum as it is.
bool thermostats_keep_momentum(const Input& input);

}  // namespace sterna::md
