#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// Checks [[drift_control]], [[limit]] and [alignment]: the particles and steps on which they act,
/// and combinations that are not possible.
void check_drift_control(const Input& input, const IsGood& is_good, const Report& report);
void check_limit(const Input& input, const IsGood& is_good, const Report& report);
void check_alignment(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
