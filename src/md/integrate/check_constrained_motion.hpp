#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// Reports features that move atoms by other means than forces and would violate constraints.
void check_constrained_motion(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
