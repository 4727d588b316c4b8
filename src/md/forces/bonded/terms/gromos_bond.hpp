// Idea:    a bond whose energy needs no square root: a parabola in the squared length.
// Source:  the bond of GROMOS-96, Scott et al., J. Phys. Chem. A 103, 3596 (1999).
// Cost:    a few multiplications.
// Hazards: GROMACS and LAMMPS give a constant k in energy per length^4 instead: GROMACS has
//          stiffness = 2 k r0^2, LAMMPS has stiffness = 8 K r0^2.
// Others:  "harmonic", which has the same curvature at rest.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct GromosBond {
  static constexpr std::string_view section = "bond";
  static constexpr std::string_view name = "gromos";
  static constexpr std::string_view energy_name = "gromos_bond";
  static constexpr std::string_view sentence = "A spring in the squared length of a bond.";
  static constexpr std::string_view formula = "stiffness/(8 r0^2) (r^2 - r0^2)^2";
  static constexpr std::string_view source =
      "Scott et al., J. Phys. Chem. A 103, 3596 (1999), GROMOS-96";
  static constexpr int atoms = 2;
  static constexpr BondedParameter parameters[] = {
      {"stiffness", Dimension::stiffness, from_zero, "curvature at rest", 40.0},
      {"r0", Dimension::length, above_zero, "length at rest", 1.1}};
  static constexpr int coefficient_count = 2;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0] / (8.0 * p[1] * p[1]);
    c[1] = p[1] * p[1];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const V stretch = dot(b[0], b[0]) - c[1];
    f[0] = b[0] * (ElementOf<V>(-4) * c[0] * stretch);
    return c[0] * stretch * stretch;
  }
};

}  // namespace
}  // namespace sterna::md
