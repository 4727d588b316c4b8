// Idea:    a spring that holds the dihedral angle of four atoms that are not a chain: planar groups
//          stay planar, and chiral centers keep their handedness.
// Source:  the improper dihedral of CHARMM and GROMACS, with the factor 1/2 of the latter.
// Cost:    an arc tangent besides the dihedral.
// Hazards: programs order the four atoms differently; the angle is that of the order given here.
// Others:  "periodic", as AMBER has it.

#pragma once

#include "md/forces/bonded/terms/dihedral.hpp"

namespace sterna::md {
namespace {

struct HarmonicImproper {
  static constexpr std::string_view section = "improper";
  static constexpr std::string_view name = "harmonic";
  static constexpr std::string_view energy_name = "harmonic_improper";
  static constexpr std::string_view sentence = "A spring that holds a dihedral angle.";
  static constexpr std::string_view formula =
      "bending_stiffness/2 (phi - phi0)^2, the difference taken the short way round";
  static constexpr std::string_view source = "general";
  static constexpr int atoms = 4;
  static constexpr BondedParameter parameters[] = {
      {"bending_stiffness", Dimension::energy, from_zero,
       "energy per square radian, with a factor of 1/2", 15.0},
      {"phi0", Dimension::none, of_turns, "dihedral angle at rest, in degrees", 35.0, false, 0.0}};
  static constexpr int coefficient_count = 2;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0];
    c[1] = radians_per_degree * std::remainder(p[1], 360.0);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    constexpr Real pi = std::numbers::pi_v<Real>;
    const Dihedral<V> dihedral(b);
    V bend = arc_tangent_of(dihedral.sine_product, dihedral.cosine_product) - c[1];
    bend = bend > V{} + pi ? bend - 2 * pi : bend;
    bend = bend < V{} - pi ? bend + 2 * pi : bend;
    dihedral.forces(b, c[0] * bend, f);
    return Real(0.5) * c[0] * bend * bend;
  }
};

}  // namespace
}  // namespace sterna::md
