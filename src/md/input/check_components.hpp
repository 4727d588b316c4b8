#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// What `check_input` says of [[component]], its sites, and the keys that components change.
void check_components(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
