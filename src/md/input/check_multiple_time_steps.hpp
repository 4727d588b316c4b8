#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// What `check_input` says of [multiple_time_steps]: whether there are forces to leave out, and who
/// would look at steps in which some are left out.
void check_multiple_time_steps(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
