#pragma once

#include "md/core/box.hpp"
#include "md/input/check_input.hpp"

namespace sterna::md {

/// What no key of charges and of [electrostatics] can tell alone.
void check_electrostatics(Input& input, bool look_at_files, const IsGood& is_good,
                          const Report& report);
/// What the solver of charges needs the box to be like.
void check_charges_in_box(const Input& input, const Box& box, const Report& report);

}  // namespace sterna::md
