#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// What mixed precision would lose of the pairs of a valid input: numbers that single precision has
/// no place for.
void check_precision(const Input& input, const Report& report);

}  // namespace sterna::md
