#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// Checks keys of the barostat that must be compared with others.
void check_barostat(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
