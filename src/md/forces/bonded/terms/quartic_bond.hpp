// Idea:    a bond with anharmonic terms.
// Source:  Sun, J. Phys. Chem. B 102, 7338 (1998): class 2 force fields such as COMPASS; MM3.
// Cost:    that of "harmonic".
// Hazards: with a negative last coefficient the energy falls without end at long bonds.
// Others:  "harmonic", "morse".

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct QuarticBond {
  static constexpr std::string_view section = "bond";
  static constexpr std::string_view name = "quartic";
  static constexpr std::string_view energy_name = "quartic_bond";
  static constexpr std::string_view sentence =
      "A polynomial of fourth order in the relative stretch, as class 2 force fields have it.";
  static constexpr std::string_view formula = "k2 x^2 + k3 x^3 + k4 x^4 with x = (r - r0) / r0";
  static constexpr std::string_view source = "Sun, J. Phys. Chem. B 102, 7338 (1998)";
  static constexpr int atoms = 2;
  static constexpr BondedParameter parameters[] = {
      {"k2", Dimension::energy, any_value, "coefficient of the second power", 40.0},
      {"k3", Dimension::energy, any_value, "coefficient of the third power", -30.0, false, 0.0},
      {"k4", Dimension::energy, any_value, "coefficient of the fourth power", 20.0, false, 0.0},
      {"r0", Dimension::length, above_zero, "length at rest", 1.1}};
  static constexpr int coefficient_count = 4;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (int k = 0; k < 3; ++k) c[k] = p[k];
    c[3] = 1.0 / p[3];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    const V r = square_root(dot(b[0], b[0]));
    const V x = r * c[3] - Real(1);
    const V slope = x * (Real(2) * c[0] + x * (Real(3) * c[1] + x * (Real(4) * c[2])));
    f[0] = b[0] * (-slope * c[3] / not_zero(r));
    return x * x * (c[0] + x * (c[1] + x * c[2]));
  }
};

}  // namespace
}  // namespace sterna::md
