#pragma once

#include <memory>
#include <vector>

#include "md/integrate/step_modifier.hpp"

namespace sterna::md {

/// All step modifiers that the input asks for, in the order in which they act.
std::vector<std::unique_ptr<StepModifier>> make_step_modifiers(const comm::Context& context,
                                                               const Input& input,
                                                               const MoleculeTable& molecules);

}  // namespace sterna::md
