// Idea:    a coupling of the dihedral angle of a torsion and each of its two bond angles.
// Source:  the angle-torsion term of CFF and COMPASS ("class 2"), Maple et al., J. Comput. Chem.
//          15, 162 (1994).
// Cost:    that of the dihedral and two arc tangents.
// Hazards: it has no lower bound by itself, so it must be used with springs that hold the angles.
// Others:  "stretch_torsion"; "bending_torsion", which is bounded.

#pragma once

#include "md/forces/bonded/terms/bend.hpp"
#include "md/forces/bonded/terms/torsion_series.hpp"

namespace sterna::md {
namespace {

/// The two bond angles of four atoms in a row, and their forces.
template <class V>
struct TorsionBends {
  Triple<V> back, middle_back;  ///< vectors from atom 2 to 1, and from atom 3 to 2
  Bend<V> first, last;
  [[gnu::always_inline]] explicit TorsionBends(const Triple<V>* b)
      : back(Triple<V>{} - b[0]),
        middle_back(Triple<V>{} - b[1]),
        first(back, b[1]),
        last(middle_back, b[2]) {}
  [[gnu::always_inline]] void add_forces(const Triple<V>* b, V of_first, V of_last,
                                         Triple<V>* f) const {
    Triple<V> at_first{}, at_third{}, at_second{}, at_last{};
    first.add_forces(back, b[1], of_first, at_first, at_third);
    last.add_forces(middle_back, b[2], of_last, at_second, at_last);
    f[0] = f[0] - at_first;
    f[1] = f[1] + at_third - at_second;
    f[2] = f[2] + at_last;
  }
};

struct BendTorsion {
  static constexpr std::string_view section = "torsion";
  static constexpr std::string_view name = "bend_torsion";
  static constexpr std::string_view energy_name = "bend_torsion";
  static constexpr std::string_view sentence =
      "Products of the deviations of a torsion's bond angles and of cosines of its angle.";
  static constexpr std::string_view formula =
      "(theta123 - theta1) (bend_first_1 cos phi + bend_first_2 cos 2 phi + bend_first_3 cos 3 "
      "phi) + "
      "(theta234 - theta2) (bend_last_1 cos phi + ...), in radians";
  static constexpr std::string_view source = "Maple et al., J. Comput. Chem. 15, 162 (1994), CFF";
  static constexpr int atoms = 4;
  static constexpr bool is_directed = true;
  static constexpr BondedParameter parameters[] = {
      {"bend_first_1", Dimension::energy, any_value, "of the first angle and cos phi", 3.0, false,
       0.0},
      {"bend_first_2", Dimension::energy, any_value, "of the first angle and cos 2 phi", -2.0,
       false, 0.0},
      {"bend_first_3", Dimension::energy, any_value, "of the first angle and cos 3 phi", 1.5, false,
       0.0},
      {"bend_last_1", Dimension::energy, any_value, "of the last angle and cos phi", -3.5, false,
       0.0},
      {"bend_last_2", Dimension::energy, any_value, "of the last angle and cos 2 phi", 1.2, false,
       0.0},
      {"bend_last_3", Dimension::energy, any_value, "of the last angle and cos 3 phi", 2.2, false,
       0.0},
      {"theta1", Dimension::none, of_angles, "first angle at rest, in degrees", 109.5},
      {"theta2", Dimension::none, of_angles, "last angle at rest, in degrees", 115.0}};
  static constexpr int coefficient_count = 8;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (std::size_t k = 0; k < 6; ++k) c[k] = p[k];
    for (std::size_t k = 6; k < 8; ++k) c[k] = radians_per_degree * p[k];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const Dihedral<V> dihedral(b);
    const TorsionSeries<V> series(dihedral);
    const TorsionBends<V> bends(b);
    const V first = bends.first.angle - c[6], last = bends.last.angle - c[7];
    const V of_first = series.value(c), of_last = series.value(c + 3);
    dihedral.forces(b, first * series.slope(c) + last * series.slope(c + 3), f);
    bends.add_forces(b, of_first, of_last, f);
    return first * of_first + last * of_last;
  }
};

}  // namespace
}  // namespace sterna::md
