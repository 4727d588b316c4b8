// Idea:    a coupling of the lengths of the two outer bonds of a torsion.
// Source:  the bond-bond-1-3 term of COMPASS: Sun, J. Phys. Chem. B 102, 7338 (1998).
// Cost:    two square roots.
// Hazards: it has no lower bound by itself, so it must be used with springs that hold the bonds.
// Others:  "stretch_stretch" of an angle.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct StretchStretch13 {
  static constexpr std::string_view section = "torsion";
  static constexpr std::string_view name = "stretch_stretch";
  static constexpr std::string_view energy_name = "stretch_stretch_13";
  static constexpr std::string_view sentence =
      "The product of the deviations of the outer bonds of a torsion.";
  static constexpr std::string_view formula = "stretch_stretch (r12 - r1) (r34 - r3)";
  static constexpr std::string_view source = "Sun, J. Phys. Chem. B 102, 7338 (1998), COMPASS";
  static constexpr int atoms = 4;
  static constexpr bool is_directed = true;
  static constexpr BondedParameter parameters[] = {
      {"stretch_stretch", Dimension::stiffness, any_value, "of both bonds, without a factor", 9.0},
      {"r1", Dimension::length, from_zero, "length of the first bond at rest", 1.05, false, 0.0},
      {"r3", Dimension::length, from_zero, "length of the last bond at rest", 1.4, false, 0.0}};
  static constexpr int coefficient_count = 3;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (std::size_t k = 0; k < 3; ++k) c[k] = p[k];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const V first = square_root(dot(b[0], b[0])), last = square_root(dot(b[2], b[2]));
    f[0] = b[0] * (-c[0] * (last - c[2]) / not_zero(first));
    f[1] = {V{}, V{}, V{}};
    f[2] = b[2] * (-c[0] * (first - c[1]) / not_zero(last));
    return c[0] * (first - c[1]) * (last - c[2]);
  }
};

}  // namespace
}  // namespace sterna::md
