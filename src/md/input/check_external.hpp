#pragma once

#include "md/core/box.hpp"
#include "md/input/check_input.hpp"

namespace sterna::md {

/// The checks of [[wall]], [[field]], [[restraint]] and [[freeze]] in `check_input`.
void check_external(const Input& input, const IsGood& is_good, const Report& report);

/// The checks of the same sections in `check_box`: whether they have a meaning in this box.
void check_external_in_box(const Input& input, const Box& box, const Report& report);

}  // namespace sterna::md
