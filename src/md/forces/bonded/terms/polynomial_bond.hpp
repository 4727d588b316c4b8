// Idea:    a spring with its anharmonicity to the fourth order.
// Source:  the bond of CFF and COMPASS ("class 2"), Maple et al., J. Comput. Chem. 15, 162 (1994);
//          without k4 the cubic bond of GROMACS.
// Cost:    that of "harmonic" and four multiplications.
// Hazards: with k4 = 0 and k3 < 0 a long bond has no bound: the energy falls without limit beyond
//          r0 - stiffness/(3 k3).
// Others:  "morse", which is anharmonic and bounded.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct PolynomialBond {
  static constexpr std::string_view section = "bond";
  static constexpr std::string_view name = "polynomial";
  static constexpr std::string_view energy_name = "polynomial_bond";
  static constexpr std::string_view sentence = "A spring with terms of the third and fourth order.";
  static constexpr std::string_view formula =
      "stiffness/2 (r - r0)^2 + k3 (r - r0)^3 + k4 (r - r0)^4";
  static constexpr std::string_view source =
      "Maple et al., J. Comput. Chem. 15, 162 (1994), CFF; GROMACS's cubic bond";
  static constexpr int atoms = 2;
  static constexpr BondedParameter parameters[] = {
      {"stiffness", Dimension::stiffness, any_value, "of the spring, with a factor of 1/2", 40.0},
      {"r0", Dimension::length, above_zero, "length at rest", 1.1},
      {"k3", Dimension::energy_per_length_3, any_value, "coefficient of the third order", -25.0,
       false, 0.0},
      {"k4", Dimension::energy_per_length_4, any_value, "coefficient of the fourth order", 60.0,
       false, 0.0}};
  static constexpr int coefficient_count = 4;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = 0.5 * p[0];
    for (std::size_t k = 1; k < 4; ++k) c[k] = p[k];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    const V r = square_root(dot(b[0], b[0]));
    const V stretch = r - c[1];
    const V slope =
        stretch * (Real(2) * c[0] + stretch * (Real(3) * c[2] + stretch * Real(4) * c[3]));
    f[0] = b[0] * (-slope / not_zero(r));
    return stretch * stretch * (c[0] + stretch * (c[2] + stretch * c[3]));
  }
};

}  // namespace
}  // namespace sterna::md
