// Idea:    a bond that breaks.
// Source:  Morse, Phys. Rev. 34, 57 (1929).
// Cost:    an exponential besides the square root.
// Hazards: the atoms of a broken bond still exclude each other.
// Others:  "harmonic" where bonds do not break.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct MorseBond {
  static constexpr std::string_view section = "bond";
  static constexpr std::string_view name = "morse";
  static constexpr std::string_view energy_name = "morse_bond";
  static constexpr std::string_view sentence = "A bond that can break.";
  static constexpr std::string_view formula = "depth (1 - exp(-alpha (r - r0)))^2";
  static constexpr std::string_view source = "Morse, Phys. Rev. 34, 57 (1929)";
  static constexpr int atoms = 2;
  static constexpr BondedParameter parameters[] = {
      {"depth", Dimension::energy, from_zero, "of the well", 8.0},
      {"alpha", Dimension::inverse_length, above_zero, "inverse of the well's width", 2.0},
      {"r0", Dimension::length, above_zero, "distance of the minimum", 1.1}};
  static constexpr int coefficient_count = 3;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (int k = 0; k < 3; ++k) c[k] = p[k];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const V r = square_root(dot(b[0], b[0]));
    const V e = bounded_exponential(c[1] * (c[2] - r));
    const V rest = ElementOf<V>(1) - e;
    f[0] = b[0] * (ElementOf<V>(-2) * c[0] * c[1] * rest * e / not_zero(r));
    return c[0] * rest * rest;
  }
};

}  // namespace
}  // namespace sterna::md
