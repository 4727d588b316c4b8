#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// What no key can tell alone of [[drift_control]], [[limit]] and [alignment]: whom they act on,
/// when, and what they do not go with.
void check_drift_control(const Input& input, const IsGood& is_good, const Report& report);
void check_limit(const Input& input, const IsGood& is_good, const Report& report);
void check_alignment(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
