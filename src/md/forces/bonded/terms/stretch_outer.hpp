// Idea:    a coupling of the distance of an angle's outer atoms and the lengths of its bonds.
// Source:  GROMACS's cross bond-angle: Lawrence and Skinner, Chem. Phys. Lett. 372, 842 (2003), for
//          water.
// Cost:    three square roots.
// Hazards: it has no lower bound by itself, so it must be used with springs that hold these
//          distances.
// Others:  "stretch_bend", in the angle itself.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct StretchOuter {
  static constexpr std::string_view section = "angle";
  static constexpr std::string_view name = "stretch_outer";
  static constexpr std::string_view energy_name = "stretch_outer";
  static constexpr std::string_view sentence =
      "Products of the deviations of two bonds and of the distance of their outer atoms.";
  static constexpr std::string_view formula = "stretch_stretch (r13 - r3) (r12 - r1 + r23 - r2)";
  static constexpr std::string_view source = "GROMACS, cross bond-angle";
  static constexpr int atoms = 3;
  static constexpr bool is_directed = true;
  static constexpr BondedParameter parameters[] = {
      {"stretch_stretch", Dimension::stiffness, any_value, "of the distances, without a factor",
       9.0},
      {"r1", Dimension::length, from_zero, "length of the first bond at rest", 1.05},
      {"r2", Dimension::length, from_zero, "length of the second bond at rest", 1.4},
      {"r3", Dimension::length, from_zero, "distance of the outer atoms at rest", 1.9}};
  static constexpr int coefficient_count = 3;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0];
    c[1] = p[1] + p[2];
    c[2] = p[3];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const Triple<V> across = b[0] + b[1];
    const V first = square_root(dot(b[0], b[0])), second = square_root(dot(b[1], b[1]));
    const V outer = square_root(dot(across, across));
    const V inner = c[0] * (first + second - c[1]), stretch = c[0] * (outer - c[2]);
    const Triple<V> at_last = across * (-inner / not_zero(outer));
    f[0] = at_last - b[0] * (stretch / not_zero(first));
    f[1] = at_last - b[1] * (stretch / not_zero(second));
    return inner * (outer - c[2]);
  }
};

}  // namespace
}  // namespace sterna::md
