#pragma once

#include <cmath>

#include "md/core/vector.hpp"

namespace sterna::md {

/// The soft core of Beutler et al., Chem. Phys. Lett. 222, 529 (1994), with the powers of GROMACS:
/// a potential u that is switched off by lambda = 0 ... 1 becomes
///
/// (1 - lambda) u(s),  s^6 = r^6 + alpha sigma^6 lambda^power.
///
/// The truncation of u belongs to it, so a pair ends where s, not r, is the cutoff.
struct SoftCore {
  double alpha = 0.5;
  int power = 1;             ///< of lambda: 1 or 2
  double least_sigma = 0.0;  ///< length; a smaller size of a pair counts as this one

  struct Distance {
    double softened;   ///< s
    double by_lambda;  ///< ds / dlambda
    double by_square;  ///< ds / d(r^2 / 2), which is r^4 / s^5
  };
  /// `sigma6`: the sixth power of the pair's size.
  Distance at(double r_squared, double sigma6, double lambda) const {
    const double r = std::sqrt(r_squared);
    if (alpha == 0.0) return {r, 0.0, 1.0 / r};
    const double scale = alpha * sigma6;
    const double by_power = power == 1 ? 1.0 : 2.0 * lambda;
    const double shift = scale * (power == 1 ? lambda : lambda * lambda);
    // Without a shift s is r, bit for bit.
    const double s =
        shift == 0.0 ? r : std::cbrt(std::sqrt(r_squared * r_squared * r_squared + shift));
    const double s5 = s * s * s * s * s;
    return {s, scale * by_power / (6.0 * s5), r_squared * r_squared / s5};
  }
};

}  // namespace sterna::md
