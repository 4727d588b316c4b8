#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// What `check_input` says of [[drift_control]], [[limit]] and [alignment]: whom they act on, when,
/// and what they do not go with.
void check_motion(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
