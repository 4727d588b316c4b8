#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// Reports losses of mixed precision for the pairs of a valid input: numbers that single precision
/// cannot represent.
void check_precision(const Input& input, const Report& report);

}  // namespace sterna::md
