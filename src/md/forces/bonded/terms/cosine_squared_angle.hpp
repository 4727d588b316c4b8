// Idea:    a spring in the cosine of an angle, whose force stays finite where atoms are in line.
// Source:  the angle of GROMOS-96, Scott et al., J. Phys. Chem. A 103, 3596 (1999); that of
//          Martini.
// Cost:    a square root and two divisions, without an arc tangent.
// Hazards: the curvature at rest is stiffness sin^2(theta0), so near 180 degrees the spring is
//          weak.
// Others:  "restricted", which keeps the atoms from being in line.

#pragma once

#include "md/forces/bonded/terms/angle_cosine.hpp"

namespace sterna::md {
namespace {

struct CosineSquaredAngle {
  static constexpr std::string_view section = "angle";
  static constexpr std::string_view name = "cosine_squared";
  static constexpr std::string_view energy_name = "cosine_squared_angle";
  static constexpr std::string_view sentence = "A spring in the cosine of an angle.";
  static constexpr std::string_view formula = "bending_stiffness/2 (cos theta - cos theta0)^2";
  static constexpr std::string_view source =
      "Scott et al., J. Phys. Chem. A 103, 3596 (1999), GROMOS-96; Martini";
  static constexpr int atoms = 3;
  static constexpr BondedParameter parameters[] = {
      {"bending_stiffness", Dimension::energy, from_zero, "with a factor of 1/2", 30.0},
      {"theta0", Dimension::none, of_angles, "angle at rest, in degrees", 109.5}};
  static constexpr int coefficient_count = 2;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0];
    c[1] = std::cos(radians_per_degree * p[1]);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const AngleCosine<V> angle(b);
    const V bend = angle.cosine - c[1];
    angle.forces(b, c[0] * bend, f);
    return ElementOf<V>(0.5) * c[0] * bend * bend;
  }
};

}  // namespace
}  // namespace sterna::md
