#pragma once

#include "md/core/axis.hpp"
#include "md/core/box.hpp"
#include "md/input/check_input.hpp"

namespace sterna::md {

/// Checks what the input asks for against the shape and size of the box. In an orthorhombic box
/// only a precision that is too low for its size is an error.
void check_box(const Input& input, const Box& box, const Report& report);

/// The check for features with slices or surfaces across an axis: reports an error at `place`
/// unless planes across the axis repeat in the box. `what`: the feature, such as "a profile".
void check_planes(const Box& box, Axis axis, std::string_view place, std::string_view what,
                  const Report& report);

}  // namespace sterna::md
