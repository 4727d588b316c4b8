#pragma once

#include <memory>
#include <vector>

#include "md/integrate/step_modifier.hpp"

namespace sterna::md {

/// All that the input asks for, in the order in which they act.
std::vector<std::unique_ptr<StepModifier>> make_step_modifiers(const comm::Context& context,
                                                               const Input& input,
                                                               const MoleculeTable& molecules);

/// Whether all that acts on the molecules of this run leaves their total momentum as it is.
/// Otherwise the motion of the center of mass takes part in the temperature.
bool keeps_momentum(const Input& input);

}  // namespace sterna::md
