#pragma once

#include "md/core/box.hpp"
#include "md/input/check_input.hpp"

namespace sterna::md {

/// What no key of [[wall]], [[field]] and [[restraint]] can tell alone.
void check_external(Input& input, bool look_at_files, const IsGood& is_good, const Report& report);
/// Whether they fit into this box.
void check_external_in_box(const Input& input, const Box& box, const Report& report);

}  // namespace sterna::md
