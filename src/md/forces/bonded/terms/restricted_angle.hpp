// Idea:    a spring in the cosine of an angle that grows without bound where the atoms come in
//          line, so that the torsions about its bonds stay defined.
// Source:  Bulacu, Goga, Zhao, Rossi, Monticelli, Periole, Tieleman and Marrink, J. Chem. Theory
//          Comput. 9, 3282 (2013), restricted bending; Martini.
// Cost:    that of "cosine_squared" and a division.
// Hazards: a start whose atoms are in line has no finite force.
// Others:  "cosine_squared".

#pragma once

#include "md/forces/bonded/terms/angle_cosine.hpp"

namespace sterna::md {
namespace {

struct RestrictedAngle {
  static constexpr std::string_view section = "angle";
  static constexpr std::string_view name = "restricted";
  static constexpr std::string_view energy_name = "restricted_angle";
  static constexpr std::string_view sentence =
      "A spring in the cosine of an angle that keeps the atoms from being in line.";
  static constexpr std::string_view formula =
      "bending_stiffness/2 (cos theta - cos theta0)^2 / sin^2 theta";
  static constexpr std::string_view source =
      "Bulacu et al., J. Chem. Theory Comput. 9, 3282 (2013)";
  static constexpr int atoms = 3;
  static constexpr BondedParameter parameters[] = {
      {"bending_stiffness", Dimension::energy, from_zero,
       "energy per square radian at rest, with a factor of 1/2", 5.0},
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
    const V inverse = ElementOf<V>(1) / not_zero(angle.sine_squared(b));
    const V slope = c[0] * bend * inverse;
    angle.forces(b, slope * (ElementOf<V>(1) - angle.cosine * c[1]) * inverse, f);
    return ElementOf<V>(0.5) * slope * bend;
  }
};

}  // namespace
}  // namespace sterna::md
