#pragma once

#include <vector>

#include "md/input/diagnostics.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// What `physics_advice` says of how the Lennard-Jones potential of a valid input ends, and of the
/// correction for what lies beyond.
std::vector<Diagnostic> truncation_advice(const Input& input);

}  // namespace sterna::md
