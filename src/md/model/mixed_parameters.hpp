#pragma once

#include <cmath>

#include "md/model/mixing.hpp"

namespace sterna::md {

/// The length of an unlike pair, such as sigma: Lorentz's arithmetic mean, or the geometric one.
inline double mixed_length(Mixing rule, double a, double b) {
  return rule == Mixing::lorentz_berthelot ? 0.5 * (a + b) : std::sqrt(a * b);
}

/// The energy of an unlike pair, such as epsilon: Berthelot's geometric mean, by either rule.
inline double mixed_energy(double a, double b) {
  return std::sqrt(a * b);
}

}  // namespace sterna::md
