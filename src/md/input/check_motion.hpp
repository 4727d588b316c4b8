#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// The checks of [[drift_control]], [[limit]] and [alignment] in `check_input`: on which molecules
/// and when they act, and which features exclude them.
void check_motion(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
