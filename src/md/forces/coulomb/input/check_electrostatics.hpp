#pragma once

#include "md/core/box.hpp"
#include "md/input/check_input.hpp"

namespace sterna::md {

/// What no key of charges and of [electrostatics] can tell alone.
void check_electrostatics(Input& input, bool look_at_files, const IsGood& is_good,
                          const Report& report);
/// Whether the multipole method converges in this box.
void check_multipole_method(const Input& input, const Box& box, const Report& report);

}  // namespace sterna::md
