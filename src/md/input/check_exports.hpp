#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// The checks of `export` in [output] in `check_input`: whether the run has the data that the
/// formats need.
void check_exports(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
