#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// Checks that the features of the input work with its integrator.
void check_integrator(const Input& input, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
