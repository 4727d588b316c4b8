// Idea:    a polynomial of the deviation of an angle, to the sixth order.
// Source:  the angle of CFF and COMPASS ("class 2"), Maple et al., J. Comput. Chem. 15, 162 (1994);
//          GROMACS's quartic angle; that of MM3.
// Cost:    that of "harmonic" and ten multiplications.
// Hazards: if the highest coefficient is negative, the energy has no lower bound. At 180 degrees
//          the direction of the force is undefined, unless this is the rest angle and c1 is 0.
// Others:  "harmonic", "cosine_polynomial".

#pragma once

#include "md/forces/bonded/terms/bend.hpp"

namespace sterna::md {
namespace {

struct PolynomialAngle {
  static constexpr std::string_view section = "angle";
  static constexpr std::string_view name = "polynomial";
  static constexpr std::string_view energy_name = "polynomial_angle";
  static constexpr std::string_view sentence = "A polynomial of the deviation of an angle.";
  static constexpr std::string_view formula =
      "c0 + c1 t + c2 t^2 + ... + c6 t^6; t = theta - theta0 in radians";
  static constexpr std::string_view source =
      "Maple et al., J. Comput. Chem. 15, 162 (1994), CFF; GROMACS's quartic angle";
  static constexpr int atoms = 3;
  static constexpr BondedParameter parameters[] = {
      {"theta0", Dimension::none, of_angles, "angle at rest, in degrees", 109.5},
      {"c0", Dimension::energy, any_value, "coefficient", 1.0, false, 0.0},
      {"c1", Dimension::energy, any_value, "coefficient", 0.5, false, 0.0},
      {"c2", Dimension::energy, any_value, "coefficient", 15.0, false, 0.0},
      {"c3", Dimension::energy, any_value, "coefficient", -7.0, false, 0.0},
      {"c4", Dimension::energy, any_value, "coefficient", 4.0, false, 0.0},
      {"c5", Dimension::energy, any_value, "coefficient", -4.0, false, 0.0},
      {"c6", Dimension::energy, any_value, "coefficient", 3.0, false, 0.0}};
  static constexpr int coefficient_count = 8;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (std::size_t n = 0; n < 7; ++n) c[n] = p[n + 1];
    c[7] = radians_per_degree * p[0];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const Bend<V> bend(b);
    const V deviation = bend.angle - c[7];
    V energy = c[6], derivative{};
    for (int n = 5; n >= 0; --n) {
      derivative = derivative * deviation + energy;
      energy = energy * deviation + c[n];
    }
    bend.set_forces(b, derivative, f);
    return energy;
  }
};

}  // namespace
}  // namespace sterna::md
