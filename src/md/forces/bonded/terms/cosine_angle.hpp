// Idea:    an energy that is a polynomial of the angle's cosine, which needs no arc tangent and is
//          smooth at 180 degrees.
// Source:  general: the angles of GROMOS96 and Martini, of DREIDING, of UFF, and of freely rotating
//          chains with a bending stiffness are all of this kind.
// Cost:    two square roots and three divisions.
// Hazards: with a sine, the force has no direction at 180 degrees, as of "harmonic".
// Others:  "harmonic", a spring in the angle itself.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct CosineAngle {
  static constexpr int highest = 6;

  static constexpr std::string_view section = "angle";
  static constexpr std::string_view name = "cosine_powers";
  static constexpr std::string_view energy_name = "cosine_angle";
  static constexpr std::string_view sentence = "A polynomial of the angle's cosine, and its sine.";
  static constexpr std::string_view formula =
      "sum of c_n cos^n(theta), n from 0 to 6, and s1 sin(theta)";
  static constexpr std::string_view source = "general";
  static constexpr int atoms = 3;
  static constexpr BondedParameter parameters[] = {
      {"c0", Dimension::energy, any_value, "coefficient", 0.7, false, 0.0},
      {"c1", Dimension::energy, any_value, "coefficient", 8.0, false, 0.0},
      {"c2", Dimension::energy, any_value, "coefficient", 9.0, false, 0.0},
      {"c3", Dimension::energy, any_value, "coefficient", -3.0, false, 0.0},
      {"c4", Dimension::energy, any_value, "coefficient", 2.0, false, 0.0},
      {"c5", Dimension::energy, any_value, "coefficient", -1.0, false, 0.0},
      {"c6", Dimension::energy, any_value, "coefficient", 0.5, false, 0.0},
      {"s1", Dimension::energy, any_value, "coefficient of the sine", 1.5, false, 0.0}};
  static constexpr int coefficient_count = highest + 2;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (int k = 0; k < coefficient_count; ++k) c[k] = p[k];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    const V first = not_zero(dot(b[0], b[0])), second = not_zero(dot(b[1], b[1]));
    const V inverse = Real(1) / not_zero(square_root(first * second));
    // From the middle atom to the outer ones: -b[0] and b[1].
    const V cosine = -dot(b[0], b[1]) * inverse;
    V energy = c[highest], slope{};
    for (int n = highest - 1; n >= 0; --n) {
      slope = slope * cosine + energy;
      energy = energy * cosine + c[n];
    }
    const Triple<V> normal = cross(b[1], b[0]);
    const V sine = square_root(dot(normal, normal)) * inverse;
    energy = energy + c[highest + 1] * sine;
    slope = slope - c[highest + 1] * cosine / not_zero(sine);
    f[0] = (b[1] * inverse + b[0] * (cosine / first)) * slope;
    f[1] = (b[0] * inverse + b[1] * (cosine / second)) * slope;
    return energy;
  }
};

}  // namespace
}  // namespace sterna::md
