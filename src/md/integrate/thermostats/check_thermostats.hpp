#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// Checks the thermostats together: the particles on which they act, and that no molecule belongs
/// to two of them at a time.
void check_thermostats(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
