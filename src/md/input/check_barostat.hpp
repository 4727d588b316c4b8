#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// What `check_input` says of the barostat.
void check_barostat(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
