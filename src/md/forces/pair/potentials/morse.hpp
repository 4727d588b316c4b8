// Idea:    a well with analytically known quantum vibrations; also a soft model of metals.
// Source:  Morse, Phys. Rev. 34, 57 (1929); Girifalco and Weizer, Phys. Rev. 114, 687 (1959).
// Cost:    one exponential.
// Hazards: finite at r = 0, so particles under high pressure pass through each other.
// Others:  "mie", if cores must not overlap.

#pragma once

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct Morse {
  static constexpr std::string_view name = "morse";
  static constexpr std::string_view sentence =
      "Morse's well: the bond of a diatomic molecule, and a simple model of metals.";
  static constexpr std::string_view formula =
      "depth (exp(-2 alpha (r - r0)) - 2 exp(-alpha (r - r0)))";
  static constexpr std::string_view source = "Morse, Phys. Rev. 34, 57 (1929)";
  static constexpr PairParameter parameters[] = {
      {"depth", Dimension::energy, positive_number, "of the well", 1.0},
      {"alpha", Dimension::inverse_length, positive_number, "inverse of the well's width", 4.0},
      {"r0", Dimension::length, positive_number, "distance of the minimum", 1.1}};
  static constexpr int coefficient_count = 3;
  static constexpr bool finite_at_zero = true;

  static void coefficients(std::span<const double> p, double, std::span<double> c) {
    c[0] = p[0];
    c[1] = p[1];
    c[2] = p[1] * p[2];
  }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V e = bounded_exponential(c[2] - c[1] * pair.distance);
    return {c[0] * e * (e - 2), 2 * c[0] * c[1] * e * (e - 1) * pair.inverse};
  }
};

}  // namespace
}  // namespace sterna::md
