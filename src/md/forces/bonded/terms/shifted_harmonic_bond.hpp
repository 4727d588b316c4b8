// Idea:    a spring whose energy is 0 at a chosen distance, and which may end there.
// Source:  bond_style harmonic/shift and harmonic/shift/cut of LAMMPS.
// Cost:    that of "harmonic".
// Hazards: if the spring ends, the force jumps to 0, so that energy is conserved for short steps
//          only.
// Others:  "harmonic"; "morse", which ends smoothly.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct ShiftedHarmonicBond {
  static constexpr std::string_view section = "bond";
  static constexpr std::string_view name = "shifted_harmonic";
  static constexpr std::string_view energy_name = "shifted_harmonic_bond";
  static constexpr std::string_view sentence =
      "A spring whose energy is 0 at a distance of choice, where it may end.";
  static constexpr std::string_view formula =
      "depth ((r - r0)^2/(r_zero - r0)^2 - 1); 0 beyond `cutoff`, where there is one";
  static constexpr std::string_view source = "LAMMPS, bond_style harmonic/shift";
  static constexpr int atoms = 2;
  static constexpr BondedParameter parameters[] = {
      {"depth", Dimension::energy, from_zero, "of the well", 8.0},
      {"r0", Dimension::length, above_zero, "distance of the minimum", 1.1},
      {"r_zero", Dimension::length, from_zero, "where the energy is 0; not `r0`", 1.6},
      {"cutoff", Dimension::length, from_zero, "where it ends; 0: nowhere", 1.25, false, 0.0}};
  static constexpr std::string_view contradiction(std::span<const double> p) {
    return p[1] != p[2] ? "" : "\"r_zero\" must be another distance than \"r0\"";
  }
  static constexpr int coefficient_count = 4;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    const double apart = p[2] - p[1];
    constexpr double beyond_all = 1e30;
    c[0] = p[0];
    c[1] = p[1];
    c[2] = p[0] / (apart * apart);
    c[3] = p[3] > 0.0 ? p[3] : beyond_all;
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    const V r = square_root(dot(b[0], b[0])), stretch = r - c[1];
    const V zero{}, acts = r > c[3] ? zero : zero + Real(1);
    f[0] = b[0] * (Real(-2) * acts * c[2] * stretch / not_zero(r));
    return acts * (c[2] * stretch * stretch - c[0]);
  }
};

}  // namespace
}  // namespace sterna::md
