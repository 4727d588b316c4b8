#pragma once

#include "md/core/axis.hpp"
#include "md/core/box.hpp"
#include "md/input/check_input.hpp"

namespace sterna::md {

/// What the input asks for that a box of this shape and size does not allow: of an orthorhombic one
/// only a precision that is too low for its size.
void check_box(const Input& input, const Box& box, const Report& report);

/// A part of it, for what has slices or surfaces across an axis: an error at `place` unless planes
/// across the axis repeat in the box. `what`: "a profile".
void check_planes(const Box& box, Axis axis, std::string_view place, std::string_view what,
                  const Report& report);

}  // namespace sterna::md
