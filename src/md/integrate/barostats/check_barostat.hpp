#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// What no key can tell alone of the barostat.
void check_barostat(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
