#pragma once

#include "md/input/check_input.hpp"

namespace sterna::md {

/// Advice on how the Lennard-Jones potential of a valid input ends, and on the correction beyond
/// the cutoff.
void advise_on_truncation(const Input& input, const Report& report);

}  // namespace sterna::md
