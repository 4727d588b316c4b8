// Idea:    a spring that becomes infinitely stiff at a deviation of choice, to either side.
// Source:  Rector, van Swol and Henderson, Mol. Phys. 82, 1009 (1994); bond_style nonlinear of
//          LAMMPS.
// Cost:    that of "harmonic" and two divisions.
// Hazards: a bond whose deviation is larger than the extension at the start has no meaning: the run
//          stops, as its energy is not finite.
// Others:  "fene", which is bounded above only.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct NonlinearBond {
  static constexpr std::string_view section = "bond";
  static constexpr std::string_view name = "nonlinear";
  static constexpr std::string_view energy_name = "nonlinear_bond";
  static constexpr std::string_view sentence =
      "A spring that becomes infinitely stiff at a deviation of choice.";
  static constexpr std::string_view formula =
      "stiffness/2 (r - r0)^2 / (1 - (r - r0)^2/extension^2)";
  static constexpr std::string_view source =
      "Rector, van Swol and Henderson, Mol. Phys. 82, 1009 (1994)";
  static constexpr int atoms = 2;
  static constexpr BondedParameter parameters[] = {
      {"stiffness", Dimension::stiffness, from_zero, "of the spring, with a factor of 1/2", 40.0},
      {"r0", Dimension::length, above_zero, "length at rest", 1.1},
      {"extension", Dimension::length, above_zero, "largest deviation from `r0`", 0.5}};
  static constexpr int coefficient_count = 3;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0];
    c[1] = p[1];
    c[2] = 1.0 / (p[2] * p[2]);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    const V r = square_root(dot(b[0], b[0])), stretch = r - c[1], square = stretch * stretch;
    // Beyond the largest extension the energy is infinite instead of negative.
    const V left = Real(1) / larger(Real(1) - c[2] * square, V{});
    f[0] = b[0] * (-c[0] * stretch * left * left / not_zero(r));
    return Real(0.5) * c[0] * square * left;
  }
};

}  // namespace
}  // namespace sterna::md
