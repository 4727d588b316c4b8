#pragma once

#include "md/core/box.hpp"
#include "md/input/check_input.hpp"

namespace sterna::md {

/// What the input asks for that a triclinic box of this shape does not allow; nothing of an
/// orthorhombic one.
void check_box(const Input& input, const Box& box, const Report& report);

}  // namespace sterna::md
