// Idea:    the repulsion of overlapping electron clouds falls exponentially; dispersion as r^-6.
// Source:  Buckingham, Proc. R. Soc. A 168, 264 (1938).
// Cost:    one exponential.
// Hazards: at short distances the dispersion dominates: particles that cross the barrier fall into
//          each other. A start with overlaps needs a minimization with another potential.
// Others:  "born_mayer_huggins", if a term r^-8 is needed.

#pragma once

#include <cmath>

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct Buckingham {
  static constexpr std::string_view name = "buckingham";
  static constexpr std::string_view sentence =
      "Buckingham's exponential repulsion and dispersion: oxides, ions, organic crystals.";
  static constexpr std::string_view formula = "amplitude exp(-r/rho) - c6/r^6";
  static constexpr std::string_view source = "Buckingham, Proc. R. Soc. A 168, 264 (1938)";
  static constexpr PairParameter parameters[] = {
      {"amplitude", Dimension::energy, number_from_zero, "of the repulsion", 2000.0},
      {"rho", Dimension::length, positive_number, "in which the repulsion falls to 1/e", 0.15},
      {"c6", Dimension::energy_length_6, number_from_zero, "of the dispersion", 1.0, false, 0.0}};
  static constexpr int coefficient_count = 3;

  static void coefficients(std::span<const double> p, double, std::span<double> c) {
    c[0] = p[0];
    c[1] = 1.0 / p[1];
    c[2] = p[2];
  }

  static constexpr std::string_view mixing =
      "geometric means of `amplitude` and `c6`, the arithmetic mean of `rho` (GROMACS, combination "
      "of Buckingham parameters)";
  static void mix(Mixing, std::span<const double> a, std::span<const double> b,
                  std::span<double> unlike) {
    unlike[0] = mixed_energy(a[0], b[0]);
    unlike[1] = 0.5 * (a[1] + b[1]);
    unlike[2] = std::sqrt(a[2] * b[2]);
  }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V inverse6 = pair.inverse_squared * pair.inverse_squared * pair.inverse_squared;
    const V repulsion = c[0] * bounded_exponential(-(c[1] * pair.distance));
    const V dispersion = c[2] * inverse6;
    return {repulsion - dispersion,
            c[1] * repulsion * pair.inverse - 6 * dispersion * pair.inverse_squared};
  }
};

}  // namespace
}  // namespace sterna::md
