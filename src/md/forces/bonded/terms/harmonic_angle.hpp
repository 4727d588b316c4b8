// Idea:    small vibrations about an angle.
// Source:  the harmonic angle of all biomolecular force fields, with the factor 1/2 of GROMACS.
// Cost:    two square roots and an arc tangent, which is exact near 0 and 180 degrees too, where an
//          arc cosine is not.
// Hazards: at 180 degrees the force has no direction, unless that is the angle at rest.
// Others:  "urey_bradley" besides, for the distance of the outer atoms.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

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
    // From the middle atom to the outer ones: -b[0] and b[1].
    const Triple<V> normal = cross(b[1], b[0]);
    const V sine = square_root(dot(normal, normal));
    const V cosine = -dot(b[0], b[1]);
    const V bend = arc_tangent_of(sine, cosine) - c[1];
    const V slope = c[0] * bend / not_zero(sine);
    f[0] = (b[0] * (-cosine / not_zero(dot(b[0], b[0]))) - b[1]) * slope;
    f[1] = (b[1] * (-cosine / not_zero(dot(b[1], b[1]))) - b[0]) * slope;
    return ElementOf<V>(0.5) * c[0] * bend * bend;
  }
};

}  // namespace
}  // namespace sterna::md
