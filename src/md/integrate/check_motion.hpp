#pragma once

#include "md/core/box.hpp"
#include "md/input/check_input.hpp"

namespace sterna::md {

/// Checks [[freeze]], [[drift_control]], [[limit]] and [alignment]: the particles and steps on which
/// they act, and combinations that are not possible.
void check_freeze(const Input& input, const IsGood& is_good, const Report& report);
void check_drift_control(const Input& input, const IsGood& is_good, const Report& report);
void check_limit(const Input& input, const IsGood& is_good, const Report& report);
void check_alignment(const Input& input, const IsGood& is_good, const Report& report);

/// Whether the regions of all of them, and of thermostats, are possible in this box.
void check_motion_in_box(const Input& input, const Box& box, const Report& report);

}  // namespace sterna::md
