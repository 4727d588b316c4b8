// Idea:    a potential as simple as Lennard-Jones that vanishes at the cutoff with its slope.
// Source:  Wang, Ramirez-Hinestrosa, Dobnikar, Frenkel, Phys. Chem. Chem. Phys. 22, 10624 (2020).
// Cost:    three logarithms and exponentials each.
// Hazards: none.
// Others:  "lennard_jones" with another truncation.

#pragma once

#include <cmath>

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct WangFrenkel {
  static constexpr std::string_view name = "wang_frenkel";
  static constexpr std::string_view sentence =
      "Wang and Frenkel: Lennard-Jones-like, with an end of its own; colloids at short cutoffs.";
  static constexpr std::string_view formula =
      "epsilon alpha ((sigma/r)^(2 mu) - 1) ((cutoff/r)^(2 mu) - 1)^(2 nu), with alpha such that "
      "the well is epsilon deep";
  static constexpr std::string_view source =
      "Wang, Ramirez-Hinestrosa, Dobnikar and Frenkel, Phys. Chem. Chem. Phys. 22, 10624 (2020)";
  static constexpr Range of_powers{.minimum = 1.0, .maximum = 50.0};
  static constexpr PairParameter parameters[] = {
      {"epsilon", Dimension::energy, number_from_zero, "depth of the well", 1.2},
      {"sigma", Dimension::length, positive_number, "distance at which the potential is zero", 1.0},
      {"mu", Dimension::none, of_powers, "half of the powers of the distance", 1.0, false, 1.0},
      {"nu", Dimension::none, of_powers, "half of the power of the end", 1.0, false, 1.0}};
  static constexpr int coefficient_count = 5;

  static double own_end(std::span<const double>, double cutoff) { return cutoff; }
  static void coefficients(std::span<const double> p, double cutoff, std::span<double> c) {
    const double mu = p[2], nu = p[3], wide = std::pow(cutoff / p[1], 2.0 * mu);
    c[0] = cutoff > p[1]
               ? p[0] * 2.0 * nu * wide *
                     std::pow((1.0 + 2.0 * nu) / (2.0 * nu * (wide - 1.0)), 2.0 * nu + 1.0)
               : 0.0;
    c[1] = 2.0 * mu;
    c[2] = 2.0 * nu;
    c[3] = std::log(p[1]);
    c[4] = std::log(cutoff);
  }
  static PairScale scale(std::span<const double> p, double) { return {p[1], p[0]}; }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const ElementOf<V> one = 1;
    const V of_distance = 0.5 * logarithm(pair.squared), zero{};
    const V near = bounded_exponential(c[1] * (c[3] - of_distance));
    const V far = bounded_exponential(c[1] * (c[4] - of_distance));
    const V end = larger(far - one, zero);
    const V power = bounded_exponential((c[2] - one) * logarithm(end));
    const V rise = near - one;
    return {c[0] * rise * power * end,
            c[0] * c[1] * power * (near * end + c[2] * rise * far) * pair.inverse_squared};
  }
};

}  // namespace
}  // namespace sterna::md
