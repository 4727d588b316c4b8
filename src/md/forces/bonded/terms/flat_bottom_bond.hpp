// Idea:    two atoms are free between two distances and held by springs beyond. From some distance
//          on the outer spring pulls with a constant force.
// Source:  the distance restraint of NMR refinement as GROMACS has it (bond of type 10).
// Cost:    that of "harmonic" and some comparisons.
// Hazards: its atoms are bonded like others, so they exclude each other, unless `excluded_bonds =
//          0` and listed exclusions are given.
// Others:  "harmonic".

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct FlatBottomBond {
  static constexpr std::string_view section = "bond";
  static constexpr std::string_view name = "flat_bottom";
  static constexpr std::string_view energy_name = "flat_bottom_bond";
  static constexpr std::string_view sentence =
      "A restraint of a distance to a range, with a bounded force.";
  static constexpr std::string_view formula =
      "stiffness/2 (r - r_lower)^2 below r_lower; 0 up to r_upper; stiffness/2 (r - r_upper)^2 up "
      "to r_linear; beyond, a line of the slope reached there";
  static constexpr std::string_view source = "GROMACS's bonds of type 10";
  static constexpr int atoms = 2;
  static constexpr BondedParameter parameters[] = {
      {"stiffness", Dimension::stiffness, from_zero, "of both springs, with a factor of 1/2", 40.0},
      {"r_lower", Dimension::length, from_zero, "where the inner spring ends", 1.11},
      {"r_upper", Dimension::length, from_zero, "where the outer spring begins", 1.17},
      {"r_linear", Dimension::length, from_zero, "where the force becomes constant", 1.29}};
  static constexpr std::string_view contradiction(std::span<const double> p) {
    return p[1] <= p[2] && p[2] <= p[3]
               ? ""
               : "\"r_lower\", \"r_upper\" and \"r_linear\" must not decrease";
  }
  static constexpr int coefficient_count = 4;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (std::size_t k = 0; k < 4; ++k) c[k] = p[k];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const V r = square_root(dot(b[0], b[0]));
    const V inner = smaller(r - c[1], V{});
    const V outer = larger(smaller(r, c[3]) - c[2], V{});
    const V beyond = larger(r - c[3], V{});
    f[0] = b[0] * (-c[0] * (inner + outer) / not_zero(r));
    return c[0] * (ElementOf<V>(0.5) * (inner * inner + outer * outer) + outer * beyond);
  }
};

}  // namespace
}  // namespace sterna::md
