// Idea:    a coupling of the two bond angles of a torsion and its dihedral angle.
// Source:  the angle-angle-torsion term of CFF and COMPASS ("class 2"), Maple et al., J. Comput.
//          Chem. 15, 162 (1994).
// Cost:    that of "bend_torsion".
// Hazards: it has no lower bound by itself, so it must be used with springs that hold the angles.
// Others:  "bend_torsion".

#pragma once

#include "md/forces/bonded/terms/bend_torsion.hpp"

namespace sterna::md {
namespace {

struct BendBendTorsion {
  static constexpr std::string_view section = "torsion";
  static constexpr std::string_view name = "bend_bend_torsion";
  static constexpr std::string_view energy_name = "bend_bend_torsion";
  static constexpr std::string_view sentence =
      "The product of the deviations of a torsion's bond angles and of the cosine of its angle.";
  static constexpr std::string_view formula =
      "bend_bend (theta123 - theta1) (theta234 - theta2) cos phi, in radians";
  static constexpr std::string_view source = "Maple et al., J. Comput. Chem. 15, 162 (1994), CFF";
  static constexpr int atoms = 4;
  static constexpr bool is_directed = true;
  static constexpr BondedParameter parameters[] = {
      {"bend_bend", Dimension::energy, any_value, "of both angles and cos phi", 4.0},
      {"theta1", Dimension::none, of_angles, "first angle at rest, in degrees", 109.5},
      {"theta2", Dimension::none, of_angles, "last angle at rest, in degrees", 115.0}};
  static constexpr int coefficient_count = 3;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0];
    for (std::size_t k = 1; k < 3; ++k) c[k] = radians_per_degree * p[k];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const Dihedral<V> dihedral(b);
    const V inverse = dihedral.inverse_product();
    const V cosine = dihedral.cosine_product * inverse, sine = dihedral.sine_product * inverse;
    const TorsionBends<V> bends(b);
    const V first = bends.first.angle - c[1], last = bends.last.angle - c[2];
    dihedral.forces(b, -c[0] * first * last * sine, f);
    bends.add_forces(b, c[0] * last * cosine, c[0] * first * cosine, f);
    return c[0] * first * last * cosine;
  }
};

}  // namespace
}  // namespace sterna::md
