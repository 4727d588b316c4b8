#pragma once

#include "md/core/box.hpp"
#include "md/input/check_input.hpp"

namespace sterna::md {

/// What `check_input` says of [[wall]], [[field]], [[restraint]] and [[freeze]].
void check_external(const Input& input, const IsGood& is_good, const Report& report);

/// What `check_box` says of them: whether they have a meaning in this box.
void check_external_in_box(const Input& input, const Box& box, const Report& report);

}  // namespace sterna::md
