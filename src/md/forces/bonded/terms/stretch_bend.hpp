// Idea:    a coupling of an angle and the lengths of its two bonds.
// Source:  the bond-angle term of CFF and COMPASS ("class 2"), Maple et al., J. Comput. Chem. 15,
//          162 (1994); the stretch-bend term of MM3.
// Cost:    that of "harmonic" and two square roots.
// Hazards: it has no lower bound by itself, so it must be used with springs that hold bonds and
//          angle. If the atoms are in line, the energy has an edge, and the bending force is 0.
// Others:  "stretch_stretch".

#pragma once

#include "md/forces/bonded/terms/bend.hpp"

namespace sterna::md {
namespace {

struct StretchBend {
  static constexpr std::string_view section = "angle";
  static constexpr std::string_view name = "stretch_bend";
  static constexpr std::string_view energy_name = "stretch_bend";
  static constexpr std::string_view sentence =
      "Products of the deviation of an angle and of those of its two bonds.";
  static constexpr std::string_view formula =
      "(stretch_bend_1 (r12 - r1) + stretch_bend_2 (r23 - r2)) (theta - theta0), in radians";
  static constexpr std::string_view source = "Maple et al., J. Comput. Chem. 15, 162 (1994), CFF";
  static constexpr int atoms = 3;
  static constexpr bool is_directed = true;
  static constexpr BondedParameter parameters[] = {
      {"stretch_bend_1", Dimension::force, any_value,
       "energy per length of the first bond and radian", 9.0, false, 0.0},
      {"stretch_bend_2", Dimension::force, any_value,
       "energy per length of the second bond and radian", -5.0, false, 0.0},
      {"r1", Dimension::length, from_zero, "length of the first bond at rest", 1.05},
      {"r2", Dimension::length, from_zero, "length of the second bond at rest", 1.4},
      {"theta0", Dimension::none, of_angles, "angle at rest, in degrees", 109.5}};
  static constexpr int coefficient_count = 5;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (std::size_t k = 0; k < 4; ++k) c[k] = p[k];
    c[4] = radians_per_degree * p[4];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const V zero{};
    const Triple<V> u{zero - b[0].x, zero - b[0].y, zero - b[0].z};
    const Bend<V> bend(u, b[1]);
    const V first = square_root(dot(b[0], b[0])), second = square_root(dot(b[1], b[1]));
    const V stretch = c[0] * (first - c[2]) + c[1] * (second - c[3]), angle = bend.angle - c[4];
    Triple<V> at_first{}, at_last{};
    bend.add_forces(u, b[1], stretch, at_first, at_last);
    f[0] = b[0] * (-c[0] * angle / not_zero(first)) - at_first;
    f[1] = b[1] * (-c[1] * angle / not_zero(second)) + at_last;
    return stretch * angle;
  }
};

}  // namespace
}  // namespace sterna::md
