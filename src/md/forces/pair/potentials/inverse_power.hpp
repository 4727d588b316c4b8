// Idea:    repulsion alone, by one power of the distance: for soft spheres, and for pairs in Go
//          models that are not contacts.
// Source:  Hoover et al., J. Chem. Phys. 52, 4931 (1970); SMOG: Noel et al., Nucleic Acids Res. 38,
//          W657 (2010).
// Cost:    a logarithm and an exponential.
// Hazards: an exponent near 3 has no finite integral beyond the cutoff.
// Others:  "mie", if there is dispersion, too.

#pragma once

#include <cmath>

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct InversePower {
  static constexpr std::string_view name = "inverse_power";
  static constexpr std::string_view sentence =
      "An inverse power: soft spheres, and the repulsive pairs of Go models (SMOG).";
  static constexpr std::string_view formula = "epsilon (sigma/r)^exponent";
  static constexpr std::string_view source =
      "Hoover et al., J. Chem. Phys. 52, 4931 (1970); SMOG: Noel et al., Nucleic Acids Res. 38, "
      "W657 (2010)";
  static constexpr Range of_exponent{.minimum = 3.0, .maximum = 100.0, .exclusive_minimum = true};
  static constexpr PairParameter parameters[] = {
      {"epsilon", Dimension::energy, number_from_zero, "energy at r = sigma", 1.0},
      {"sigma", Dimension::length, positive_number, "distance of that energy", 1.0},
      {"exponent", Dimension::none, of_exponent, "of the distance", 12.0, false, 12.0}};
  static constexpr int coefficient_count = 3;

  static void coefficients(std::span<const double> p, double, std::span<double> c) {
    c[0] = p[0];
    c[1] = p[2];
    c[2] = std::log(p[1]);
  }
  static PairScale scale(std::span<const double> p, double) { return {p[1], p[0]}; }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V u = c[0] * bounded_exponential(c[1] * (c[2] - 0.5 * logarithm(pair.squared)));
    return {u, c[1] * u * pair.inverse_squared};
  }
};

}  // namespace
}  // namespace sterna::md
