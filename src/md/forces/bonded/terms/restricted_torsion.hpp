// Idea:    a spring in the cosine of a dihedral angle that cannot pass 0 or 180 degrees.
// Source:  Bulacu et al., J. Chem. Theory Comput. 9, 3282 (2013); GROMACS's dihedral of type 10.
// Cost:    that of the dihedral and a division.
// Hazards: a start at 0 or 180 degrees has no finite force. Both signs of phi0 are minima.
// Others:  "periodic".

#pragma once

#include "md/forces/bonded/terms/dihedral.hpp"

namespace sterna::md {
namespace {

struct RestrictedTorsion {
  static constexpr std::string_view section = "torsion";
  static constexpr std::string_view name = "restricted";
  static constexpr std::string_view energy_name = "restricted_torsion";
  static constexpr std::string_view sentence =
      "A spring in the cosine of a dihedral angle that keeps the four atoms out of one plane.";
  static constexpr std::string_view formula =
      "bending_stiffness/2 (cos phi - cos phi0)^2 / sin^2 phi";
  static constexpr std::string_view source =
      "Bulacu et al., J. Chem. Theory Comput. 9, 3282 (2013)";
  static constexpr int atoms = 4;
  static constexpr BondedParameter parameters[] = {
      {"bending_stiffness", Dimension::energy, from_zero,
       "energy per square radian at rest, with a factor of 1/2", 0.5},
      {"phi0", Dimension::none, of_turns, "dihedral angle at rest, in degrees", 95.0}};
  static constexpr int coefficient_count = 2;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0];
    c[1] = std::cos(radians_per_degree * p[1]);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const Dihedral<V> dihedral(b);
    const V inverse = dihedral.inverse_product();
    const V cosine = dihedral.cosine_product * inverse, sine = dihedral.sine_product * inverse;
    const V bend = cosine - c[1];
    const V inverse_squared = ElementOf<V>(1) / not_zero(sine * sine);
    const V slope = c[0] * bend * inverse_squared;
    dihedral.forces(b, -sine * slope * (ElementOf<V>(1) - cosine * c[1]) * inverse_squared, f);
    return ElementOf<V>(0.5) * slope * bend;
  }
};

}  // namespace
}  // namespace sterna::md
