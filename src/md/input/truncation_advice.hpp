#pragma once

#include <vector>

#include "md/input/diagnostics.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// Advice on how the Lennard-Jones potential of a valid input ends, and on the correction beyond
/// the cutoff.
std::vector<Diagnostic> truncation_advice(const Input& input);

}  // namespace sterna::md
