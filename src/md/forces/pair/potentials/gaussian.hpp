// Idea:    a Gaussian hill or well: for soft colloids and polymers, each modeled as one particle;
//          with a center, a bump at some distance, such as a desolvation barrier.
// Source:  Stillinger, J. Chem. Phys. 65, 3968 (1976); LAMMPS, pair_style gauss and gauss/cut.
// Cost:    one exponential.
// Hazards: particles pass through each other.
// Others:  "soft", which ends by itself.

#pragma once

#include <cmath>

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct Gaussian {
  static constexpr std::string_view name = "gaussian";
  static constexpr std::string_view sentence =
      "Gauss's bell, a hill or a well: soft colloids, barriers of coarse models.";
  static constexpr std::string_view formula = "height exp(-(r - center)^2/(2 width^2))";
  static constexpr std::string_view source =
      "Stillinger, J. Chem. Phys. 65, 3968 (1976); LAMMPS, pair_style gauss/cut";
  static constexpr PairParameter parameters[] = {
      {"height", Dimension::energy, any_number, "at the center; negative: a well", 3.0},
      {"width", Dimension::length, positive_number, "standard deviation", 0.6},
      {"center", Dimension::length, any_number, "distance of the extremum", 0.3, false, 0.0}};
  static constexpr int coefficient_count = 3;
  static constexpr bool finite_at_zero = true;

  static void coefficients(std::span<const double> p, double, std::span<double> c) {
    c[0] = p[0];
    c[1] = 1.0 / (p[1] * p[1]);
    c[2] = p[2];
  }
  static PairScale scale(std::span<const double> p, double) {
    return {std::abs(p[2]) + p[1], std::abs(p[0])};
  }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V x = pair.distance - c[2];
    const V u = c[0] * bounded_exponential(-0.5 * (c[1] * x * x));
    return {u, c[1] * u * (x * pair.inverse)};
  }
};

}  // namespace
}  // namespace sterna::md
