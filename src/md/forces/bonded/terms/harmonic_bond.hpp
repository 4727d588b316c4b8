// Idea:    small vibrations about a length.
// Source:  the harmonic bond of all biomolecular force fields, with the factor 1/2 of GROMACS.
// Cost:    a square root and a division.
// Hazards: AMBER, CHARMM and LAMMPS leave out the factor 1/2: their constant is half of this one.
// Others:  "morse" where bonds may break.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct HarmonicBond {
  static constexpr std::string_view section = "bond";
  static constexpr std::string_view name = "harmonic";
  static constexpr std::string_view energy_name = "harmonic_bond";
  static constexpr std::string_view sentence = "A spring between two atoms.";
  static constexpr std::string_view formula = "stiffness/2 (r - r0)^2";
  static constexpr std::string_view source = "general";
  static constexpr int atoms = 2;
  static constexpr BondedParameter parameters[] = {
      {"stiffness", Dimension::stiffness, from_zero, "of the spring, with a factor of 1/2", 40.0},
      {"r0", Dimension::length, above_zero, "length at rest", 1.1}};
  static constexpr int coefficient_count = 2;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0];
    c[1] = p[1];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const V r = square_root(dot(b[0], b[0]));
    const V stretch = r - c[1];
    f[0] = b[0] * (-c[0] * stretch / not_zero(r));
    return ElementOf<V>(0.5) * c[0] * stretch * stretch;
  }
};

}  // namespace
}  // namespace sterna::md
