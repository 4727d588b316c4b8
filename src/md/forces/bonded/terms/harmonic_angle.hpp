// Idea:    small vibrations about an angle.
// Source:  the harmonic angle of all biomolecular force fields, with the factor 1/2 of GROMACS.
// Cost:    two square roots and an arc tangent, which is exact near 0 and 180 degrees too, where an
//          arc cosine is not.
// Hazards: at 180 degrees the force has no direction, unless that is the angle at rest.
// Others:  "urey_bradley" besides, for the distance of the outer atoms.

#pragma once

#include "md/forces/bonded/terms/bend.hpp"

namespace sterna::md {
namespace {

struct HarmonicAngle {
  static constexpr std::string_view section = "angle";
  static constexpr std::string_view name = "harmonic";
  static constexpr std::string_view energy_name = "harmonic_angle";
  static constexpr std::string_view sentence = "A spring that holds the angle of two bonds.";
  static constexpr std::string_view formula = "bending_stiffness/2 (theta - theta0)^2";
  static constexpr std::string_view source = "general";
  static constexpr int atoms = 3;
  static constexpr BondedParameter parameters[] = {
      {"bending_stiffness", Dimension::energy, from_zero,
       "energy per square radian, with a factor of 1/2", 30.0},
      {"theta0", Dimension::none, of_angles, "angle at rest, in degrees", 109.5}};
  static constexpr int coefficient_count = 2;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0];
    c[1] = radians_per_degree * p[1];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const Bend<V> bend(b);
    const V deviation = bend.angle - c[1];
    bend.set_forces(b, c[0] * deviation, f);
    return ElementOf<V>(0.5) * c[0] * deviation * deviation;
  }
};

}  // namespace
}  // namespace sterna::md
