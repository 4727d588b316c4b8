#pragma once

#include <algorithm>

#include "md/input/input.hpp"

namespace sterna::md {

/// Where the interaction of charges ends; 0: it does not.
inline double electrostatics_cutoff(const Input& input) {
  if (!input.electrostatics.ends_at_cutoff()) return 0.0;
  return input.electrostatics.cutoff > 0.0 ? input.electrostatics.cutoff : input.interaction.cutoff;
}

/// Beyond this distance no two particles act on each other one by one.
inline double longest_cutoff(const Input& input) {
  return std::max(input.interaction.cutoff, electrostatics_cutoff(input));
}

}  // namespace sterna::md
