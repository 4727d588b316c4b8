#pragma once

#include <algorithm>

#include "md/input/input.hpp"

namespace sterna::md {

/// The cutoff of the interaction of charges; 0: there is none.
inline double electrostatics_cutoff(const Input& input) {
  if (!input.electrostatics.ends_at_cutoff()) return 0.0;
  return input.electrostatics.cutoff > 0.0 ? input.electrostatics.cutoff : input.interaction.cutoff;
}

/// The distance beyond which no two particles interact as a pair.
inline double longest_cutoff(const Input& input) {
  return std::max(input.interaction.cutoff, electrostatics_cutoff(input));
}

}  // namespace sterna::md
