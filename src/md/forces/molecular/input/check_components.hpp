#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// Checks [[component]], its sites, and the keys whose meaning components change, for
/// `check_input`.
void check_components(Input& input, bool look_at_files, const IsGood& is_good,
                      const Report& report);

}  // namespace sterna::md
