// Idea:    two nuclei at short distance, whose charges the electrons screen by the universal
//          screening function.
// Source:  Ziegler, Biersack and Littmark, The Stopping and Range of Ions in Matter (1985).
// Cost:    four exponentials.
// Hazards: there is no attraction; the potential is made for collisions.
// Others:  "yukawa", with one screening length.

#pragma once

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct ZieglerBiersackLittmark {
  static constexpr std::string_view name = "ziegler_biersack_littmark";
  static constexpr std::string_view sentence =
      "Ziegler, Biersack and Littmark: nuclei in collision, damage by radiation (ZBL).";
  static constexpr std::string_view formula =
      "strength/r (0.18175 exp(-3.1998 x) + 0.50986 exp(-0.94229 x) + 0.28022 exp(-0.4029 x) + "
      "0.02817 exp(-0.20162 x)) with x = r/screening_length";
  static constexpr std::string_view source =
      "Ziegler, Biersack and Littmark, The Stopping and Range of Ions in Matter (1985)";
  static constexpr PairParameter parameters[] = {
      {"strength", Dimension::energy_length, number_from_zero,
       "product of the charges of the nuclei, Z1 Z2 e^2/(4 pi epsilon_0)", 40.0},
      {"screening_length", Dimension::length, positive_number,
       "0.4685 angstrom / (Z1^0.23 + Z2^0.23)", 0.2}};
  static constexpr int coefficient_count = 8;

  static void coefficients(std::span<const double> p, double, std::span<double> c) {
    constexpr double share[] = {0.18175, 0.50986, 0.28022, 0.02817};
    constexpr double decay[] = {3.19980, 0.94229, 0.40290, 0.20162};
    for (std::size_t k = 0; k < 4; ++k) {
      c[k] = share[k] * p[0];
      c[k + 4] = decay[k] / p[1];
    }
  }
  /// The scale at the screening length, where the sum of exponentials is 0.4164.
  static PairScale scale(std::span<const double> p, double) { return {p[1], 0.4164 * p[0] / p[1]}; }

  static constexpr std::string_view mixing =
      "geometric mean of `strength`, harmonic mean of `screening_length`, which are those of Z1 "
      "and "
      "Z2 (Ziegler, Biersack and Littmark)";
  static void mix(Mixing, std::span<const double> a, std::span<const double> b,
                  std::span<double> unlike) {
    unlike[0] = std::sqrt(a[0] * b[0]);
    unlike[1] = 2.0 / (1.0 / a[1] + 1.0 / b[1]);
  }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    V sum{}, slope{};
    for (int k = 0; k < 4; ++k) {
      const V part = c[k] * bounded_exponential(-(c[k + 4] * pair.distance));
      sum = sum + part;
      slope = slope + c[k + 4] * part;
    }
    return {sum * pair.inverse, (sum * pair.inverse + slope) * pair.inverse_squared};
  }
};

}  // namespace
}  // namespace sterna::md
