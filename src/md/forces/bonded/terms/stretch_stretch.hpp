// Idea:    a coupling of the lengths of the two bonds of an angle.
// Source:  the bond-bond term of CFF and COMPASS ("class 2"), Maple et al., J. Comput. Chem. 15,
//          162 (1994); GROMACS's cross bond-bond.
// Cost:    two square roots.
// Hazards: it has no lower bound by itself, so it must be used with springs that hold the bonds.
// Others:  "stretch_bend".

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct StretchStretch {
  static constexpr std::string_view section = "angle";
  static constexpr std::string_view name = "stretch_stretch";
  static constexpr std::string_view energy_name = "stretch_stretch";
  static constexpr std::string_view sentence =
      "The product of the deviations of the two bonds of an angle.";
  static constexpr std::string_view formula = "stretch_stretch (r12 - r1) (r23 - r2)";
  static constexpr std::string_view source = "Maple et al., J. Comput. Chem. 15, 162 (1994), CFF";
  static constexpr int atoms = 3;
  static constexpr bool is_directed = true;
  static constexpr BondedParameter parameters[] = {
      {"stretch_stretch", Dimension::stiffness, any_value, "of both bonds, without a factor", 9.0},
      {"r1", Dimension::length, from_zero, "length of the first bond at rest", 1.05},
      {"r2", Dimension::length, from_zero, "length of the second bond at rest", 1.4}};
  static constexpr int coefficient_count = 3;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (std::size_t k = 0; k < 3; ++k) c[k] = p[k];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const V first = square_root(dot(b[0], b[0])), second = square_root(dot(b[1], b[1]));
    f[0] = b[0] * (-c[0] * (second - c[2]) / not_zero(first));
    f[1] = b[1] * (-c[0] * (first - c[1]) / not_zero(second));
    return c[0] * (first - c[1]) * (second - c[2]);
  }
};

}  // namespace
}  // namespace sterna::md
