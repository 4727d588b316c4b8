// The potential of mean force of a distribution that is a sum of Gaussians: the part that the terms
// of bonds and angles share.
//
// Source:  bond_style and angle_style gaussian of LAMMPS; Milano, Goudeau and Mueller-Plathe, J.
//          Polym. Sci. B 43, 871 (2005).

#pragma once

#include <cmath>

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct Gaussians {
  static constexpr int most = 3;
  /// The coefficients that `evaluate` reads: the thermal energy, then for each Gaussian the
  /// logarithm of its height, 2/width^2, and its center.
  static constexpr int coefficient_count = 1 + 3 * most;
  static constexpr std::string_view problem_of(std::span<const double> p) {
    for (std::size_t k = 0; k < most; ++k) {
      if (p[1 + 3 * k] > 0.0 && !(p[2 + 3 * k] > 0.0)) {
        return "each \"area\" above 0 needs a \"width\" above 0 with the same number";
      }
    }
    return "";
  }
  /// `unit`: the unit of widths and centers.
  static void coefficients(std::span<const double> p, double unit, std::span<double> c) {
    c[0] = p[0];
    for (std::size_t k = 0; k < most; ++k) {
      const double area = p[1 + 3 * k], width = p[2 + 3 * k];
      constexpr double half_pi = 0.5 * std::numbers::pi, none = -1e6;
      const bool is_there = area > 0.0;
      c[1 + 3 * k] = is_there ? std::log(area / (width * std::sqrt(half_pi))) : none;
      c[2 + 3 * k] = is_there ? 2.0 / (unit * unit * width * width) : 0.0;
      c[3 + 3 * k] = unit * p[3 + 3 * k];
    }
  }
  /// The energy at a position, and its derivative. The largest Gaussian is factored out of the sum,
  /// so that the rest is at least 1 at any position.
  template <class V>
  [[gnu::always_inline]] static V evaluate(V place, const V* c, V& slope) {
    using Real = ElementOf<V>;
    V apart[most], exponent[most];
    for (int k = 0; k < most; ++k) {
      apart[k] = place - c[3 + 3 * k];
      exponent[k] = c[1 + 3 * k] - c[2 + 3 * k] * apart[k] * apart[k];
    }
    V largest = exponent[0];
    for (int k = 1; k < most; ++k) largest = larger(largest, exponent[k]);
    V sum{}, derivative{};
    for (int k = 0; k < most; ++k) {
      const V share = bounded_exponential(exponent[k] - largest);
      sum = sum + share;
      derivative = derivative + share * Real(2) * c[2 + 3 * k] * apart[k];
    }
    slope = c[0] * derivative / sum;
    return -c[0] * (largest + logarithm(sum));
  }
};

}  // namespace
}  // namespace sterna::md
