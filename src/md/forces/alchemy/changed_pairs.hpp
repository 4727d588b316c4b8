#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "md/model/soft_core.hpp"

namespace sterna::md {

/// Two excluded atoms of a molecule with a Lennard-Jones potential and a product of charges of their
/// own, which change from those of state A to those of state B. A potential that only one of the
/// states has is soft.
struct ChangedPair {
  struct End {
    double epsilon = 0.0, sigma = 1.0;
    double product = 0.0;  ///< of charges, in units of energy times length
  };
  std::uint32_t first, second;  ///< places in the molecule
  End from, to;

  struct Value {
    double energy = 0.0, force_over_r = 0.0, by_lambda = 0.0;
  };
  /// The Lennard-Jones part, without a cutoff.
  Value van_der_waals(const SoftCore& soft, double r_squared, double lambda) const {
    const bool is_soft = from.epsilon == 0.0 || to.epsilon == 0.0;
    const Value a = part(is_soft, soft, from, r_squared, lambda);
    const Value b = part(is_soft, soft, to, r_squared, 1.0 - lambda);
    return {a.energy + b.energy, a.force_over_r + b.force_over_r, a.by_lambda - b.by_lambda};
  }
  Value charges(double r_squared, double lambda) const {
    const double inverse = 1.0 / std::sqrt(r_squared);
    const double product = (1.0 - lambda) * from.product + lambda * to.product;
    return {product * inverse, product * inverse / r_squared,
            (to.product - from.product) * inverse};
  }

 private:
  /// (1 - lambda) u(s) and its derivatives.
  static Value part(bool is_soft, const SoftCore& soft, const End& end, double r_squared,
                    double lambda) {
    if (end.epsilon == 0.0) return {};
    const SoftCore core = is_soft ? soft : SoftCore{.alpha = 0.0, .power = 1, .least_sigma = 0.0};
    const double sigma6 = std::pow(end.sigma, 6);
    const double size6 = std::pow(std::max(end.sigma, core.least_sigma), 6);
    const SoftCore::Distance s = core.at(r_squared, size6, lambda);
    const double x = sigma6 / std::pow(s.softened, 6);
    const double u = 4.0 * end.epsilon * x * (x - 1.0);
    const double slope = -24.0 * end.epsilon * x * (2.0 * x - 1.0) / s.softened;  // du/ds
    const double on = 1.0 - lambda;
    return {on * u, -on * slope * s.by_square, -u + on * slope * s.by_lambda};
  }
};

}  // namespace sterna::md
