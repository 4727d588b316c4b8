#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// What `check_input` says of [electrostatics] and of charges.
void check_electrostatics(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
