// Idea:    a spring that holds the dihedral angle of four atoms, independent of its sign.
// Source:  improper_style harmonic of LAMMPS, with a factor of 1/2.
// Cost:    that of "harmonic".
// Hazards: both signs of phi0 are minima. If the atoms are in a plane and this is not the rest
//          angle, the energy has an edge: the force is 0 there and finite beside it.
// Others:  "harmonic", which keeps the handedness of a chiral center.

#pragma once

#include "md/forces/bonded/terms/dihedral.hpp"

namespace sterna::md {
namespace {

/// The sign of a number: -1, 0 or 1.
template <class V>
[[gnu::always_inline]] inline V sign_of(V x) {
  const V zero{}, one = zero + ElementOf<V>(1);
  return (x > zero ? one : zero) - (x < zero ? one : zero);
}

struct UnsignedImproper {
  static constexpr std::string_view section = "improper";
  static constexpr std::string_view name = "unsigned_harmonic";
  static constexpr std::string_view energy_name = "unsigned_improper";
  static constexpr std::string_view sentence =
      "A spring that holds a dihedral angle of either sign.";
  static constexpr std::string_view formula = "bending_stiffness/2 (|phi| - phi0)^2";
  static constexpr std::string_view source = "LAMMPS, improper_style harmonic";
  static constexpr int atoms = 4;
  static constexpr BondedParameter parameters[] = {
      {"bending_stiffness", Dimension::energy, from_zero,
       "energy per square radian, with a factor of 1/2", 15.0},
      {"phi0", Dimension::none, of_turns, "dihedral angle at rest, from 0 to 180 degrees", 35.0,
       false, 0.0}};
  static constexpr std::string_view contradiction(std::span<const double> p) {
    return p[1] >= 0.0 && p[1] <= 180.0 ? "" : "\"phi0\" must be from 0 to 180 degrees";
  }
  static constexpr int coefficient_count = 2;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0];
    c[1] = radians_per_degree * p[1];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const Dihedral<V> dihedral(b);
    const V phi = arc_tangent_of(dihedral.sine_product, dihedral.cosine_product);
    const V sign = sign_of(phi), bend = sign * phi - c[1];
    dihedral.forces(b, c[0] * bend * sign, f);
    return ElementOf<V>(0.5) * c[0] * bend * bend;
  }
};

}  // namespace
}  // namespace sterna::md
