#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// The checks of the barostat in `check_input`.
void check_barostat(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
