// Idea:    a dihedral angle is free within a range, and held by a spring beyond.
// Source:  the dihedral restraint of GROMACS.
// Cost:    that of "harmonic" in [[molecule.improper]].
// Hazards: opposite the range the force changes its sign abruptly.
// Others:  "harmonic" in [[molecule.improper]], which has no range.

#pragma once

#include "md/forces/bonded/terms/dihedral.hpp"
#include "md/forces/bonded/terms/unsigned_improper.hpp"

namespace sterna::md {
namespace {

struct FlatBottomTorsion {
  static constexpr std::string_view section = "torsion";
  static constexpr std::string_view name = "flat_bottom";
  static constexpr std::string_view energy_name = "flat_bottom_torsion";
  static constexpr std::string_view sentence = "A restraint of a dihedral angle to a range.";
  static constexpr std::string_view formula =
      "0 where |phi - phi0| <= half_width, the difference taken the short way round; beyond, "
      "bending_stiffness/2 (|phi - phi0| - half_width)^2";
  static constexpr std::string_view source = "GROMACS, dihedral restraints";
  static constexpr int atoms = 4;
  static constexpr BondedParameter parameters[] = {
      {"bending_stiffness", Dimension::energy, from_zero,
       "energy per square radian, with a factor of 1/2", 0.5},
      {"phi0", Dimension::none, of_turns, "middle of the range, in degrees", 95.0},
      {"half_width", Dimension::none, of_angles, "of the range, in degrees", 20.0, false, 0.0}};
  static constexpr int coefficient_count = 3;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0];
    c[1] = radians_per_degree * std::remainder(p[1], 360.0);
    c[2] = radians_per_degree * p[2];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    constexpr Real pi = std::numbers::pi_v<Real>;
    const Dihedral<V> dihedral(b);
    V turn = arc_tangent_of(dihedral.sine_product, dihedral.cosine_product) - c[1];
    turn = turn > V{} + pi ? turn - 2 * pi : turn;
    turn = turn < V{} - pi ? turn + 2 * pi : turn;
    const V sign = sign_of(turn), beyond_range = larger(sign * turn - c[2], V{});
    dihedral.forces(b, c[0] * beyond_range * sign, f);
    return Real(0.5) * c[0] * beyond_range * beyond_range;
  }
};

}  // namespace
}  // namespace sterna::md
