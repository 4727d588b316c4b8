#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// The checks of [multiple_time_steps] in `check_input`: whether there are forces to leave out, and
/// whether any output would use steps in which forces are left out.
void check_multiple_time_steps(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
