#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// What `check_input` says of `export` in [output]: whether the run has what the formats need.
void check_exports(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
