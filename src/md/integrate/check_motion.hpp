#pragma once

#include "md/core/box.hpp"
#include "md/input/check_input.hpp"

namespace sterna::md {

/// What no key can tell alone of [[freeze]], [[drift_control]], [[limit]] and [alignment]: whom they
/// act on, when, and what they do not go with.
void check_freeze(const Input& input, const IsGood& is_good, const Report& report);
void check_drift_control(const Input& input, const IsGood& is_good, const Report& report);
void check_limit(const Input& input, const IsGood& is_good, const Report& report);
void check_alignment(const Input& input, const IsGood& is_good, const Report& report);

/// Whether the regions of all of them, and of thermostats, are possible in this box.
void check_motion_in_box(const Input& input, const Box& box, const Report& report);

}  // namespace sterna::md
