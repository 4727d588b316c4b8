// Idea:    the Coulomb interaction of charges that other charges screen.
// Source:  Yukawa, Proc. Phys.-Math. Soc. Japan 17, 48 (1935); Debye and Hueckel (1923) for ions.
// Cost:    one exponential.
// Hazards: a negative strength attracts without bound, so other forces must separate such pairs.
// Others:  [electrostatics], if the screening ions are in the box.

#pragma once

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct Yukawa {
  static constexpr std::string_view name = "yukawa";
  static constexpr std::string_view sentence =
      "Yukawa's screened Coulomb interaction: colloids, dusty plasmas.";
  static constexpr std::string_view formula = "strength exp(-kappa r)/r";
  static constexpr std::string_view source = "Yukawa, Proc. Phys.-Math. Soc. Japan 17, 48 (1935)";
  static constexpr PairParameter parameters[] = {
      {"strength", Dimension::energy_length, any_number, "positive: repulsion", 2.0},
      {"kappa", Dimension::inverse_length, positive_number, "inverse of the screening length",
       1.5}};
  static constexpr int coefficient_count = 2;

  static void coefficients(std::span<const double> p, double, std::span<double> c) {
    c[0] = p[0];
    c[1] = p[1];
  }
  /// The scale at the screening length.
  static PairScale scale(std::span<const double> p, double) {
    return {1.0 / p[1], 0.36787944117144233 * (p[0] < 0.0 ? -p[0] : p[0]) * p[1]};
  }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V u = c[0] * bounded_exponential(-(c[1] * pair.distance)) * pair.inverse;
    return {u, u * (pair.inverse + c[1]) * pair.inverse};
  }
};

}  // namespace
}  // namespace sterna::md
