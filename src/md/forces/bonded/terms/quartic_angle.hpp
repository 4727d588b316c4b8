// Idea:    an angle with anharmonic terms.
// Source:  Sun, J. Phys. Chem. B 102, 7338 (1998): class 2 force fields such as COMPASS; MM3 has up
//          to the sixth power.
// Cost:    that of "harmonic".
// Hazards: as "harmonic"; with a negative last coefficient the energy falls far from theta0.
// Others:  "harmonic".

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct QuarticAngle {
  static constexpr std::string_view section = "angle";
  static constexpr std::string_view name = "quartic";
  static constexpr std::string_view energy_name = "quartic_angle";
  static constexpr std::string_view sentence =
      "A polynomial of the bend, up to its sixth power, as class 2 force fields and MM3 have it.";
  static constexpr std::string_view formula =
      "k2 x^2 + k3 x^3 + k4 x^4 + k5 x^5 + k6 x^6 with x = theta - theta0 in radians";
  static constexpr std::string_view source = "Sun, J. Phys. Chem. B 102, 7338 (1998)";
  static constexpr int atoms = 3;
  static constexpr BondedParameter parameters[] = {
      {"k2", Dimension::energy, any_value, "coefficient of the second power", 30.0},
      {"k3", Dimension::energy, any_value, "coefficient of the third power", -20.0, false, 0.0},
      {"k4", Dimension::energy, any_value, "coefficient of the fourth power", 10.0, false, 0.0},
      {"k5", Dimension::energy, any_value, "coefficient of the fifth power", -4.0, false, 0.0},
      {"k6", Dimension::energy, any_value, "coefficient of the sixth power", 3.0, false, 0.0},
      {"theta0", Dimension::none, of_angles, "angle at rest, in degrees", 109.5}};
  static constexpr int coefficient_count = 6;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (int k = 0; k < 5; ++k) c[k] = p[k];
    c[5] = radians_per_degree * p[5];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    // From the middle atom to the outer ones: -b[0] and b[1].
    const Triple<V> normal = cross(b[1], b[0]);
    const V sine = square_root(dot(normal, normal));
    const V cosine = -dot(b[0], b[1]);
    const V x = arc_tangent_of(sine, cosine) - c[5];
    const V bend =
        x *
        (Real(2) * c[0] +
         x * (Real(3) * c[1] + x * (Real(4) * c[2] + x * (Real(5) * c[3] + x * (Real(6) * c[4])))));
    const V slope = bend / not_zero(sine);
    f[0] = (b[0] * (-cosine / not_zero(dot(b[0], b[0]))) - b[1]) * slope;
    f[1] = (b[1] * (-cosine / not_zero(dot(b[1], b[1]))) - b[0]) * slope;
    return x * x * (c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4]))));
  }
};

}  // namespace
}  // namespace sterna::md
