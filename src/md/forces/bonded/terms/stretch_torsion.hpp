// Idea:    a coupling of the dihedral angle of a torsion and the lengths of its three bonds.
// Source:  the middle-bond and end-bond torsions of CFF and COMPASS ("class 2"), Maple et al., J.
//          Comput. Chem. 15, 162 (1994).
// Cost:    that of the dihedral and three square roots.
// Hazards: it has no lower bound by itself, so it must be used with springs that hold the bonds.
// Others:  "bend_torsion".

#pragma once

#include "md/forces/bonded/terms/torsion_series.hpp"

namespace sterna::md {
namespace {

struct StretchTorsion {
  static constexpr std::string_view section = "torsion";
  static constexpr std::string_view name = "stretch_torsion";
  static constexpr std::string_view energy_name = "stretch_torsion";
  static constexpr std::string_view sentence =
      "Products of the deviations of a torsion's bonds and of cosines of its angle.";
  static constexpr std::string_view formula =
      "(r12 - r1) (first_1 cos phi + first_2 cos 2 phi + first_3 cos 3 phi) + (r23 - r2) (middle_1 "
      "cos "
      "phi + ...) + (r34 - r3) (last_1 cos phi + ...)";
  static constexpr std::string_view source = "Maple et al., J. Comput. Chem. 15, 162 (1994), CFF";
  static constexpr int atoms = 4;
  static constexpr bool is_directed = true;
  static constexpr bool may_repeat = true;
  static constexpr BondedParameter parameters[] = {
      {"first_1", Dimension::force, any_value, "of the first bond and cos phi", 3.0, false, 0.0},
      {"first_2", Dimension::force, any_value, "of the first bond and cos 2 phi", -2.0, false, 0.0},
      {"first_3", Dimension::force, any_value, "of the first bond and cos 3 phi", 1.5, false, 0.0},
      {"middle_1", Dimension::force, any_value, "of the middle bond and cos phi", 4.0, false, 0.0},
      {"middle_2", Dimension::force, any_value, "of the middle bond and cos 2 phi", 2.5, false,
       0.0},
      {"middle_3", Dimension::force, any_value, "of the middle bond and cos 3 phi", -1.0, false,
       0.0},
      {"last_1", Dimension::force, any_value, "of the last bond and cos phi", -3.5, false, 0.0},
      {"last_2", Dimension::force, any_value, "of the last bond and cos 2 phi", 1.2, false, 0.0},
      {"last_3", Dimension::force, any_value, "of the last bond and cos 3 phi", 2.2, false, 0.0},
      {"r1", Dimension::length, from_zero, "length of the first bond at rest", 1.05, false, 0.0},
      {"r2", Dimension::length, from_zero, "length of the middle bond at rest", 1.4, false, 0.0},
      {"r3", Dimension::length, from_zero, "length of the last bond at rest", 1.0, false, 0.0}};
  static constexpr int coefficient_count = 12;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (std::size_t k = 0; k < 12; ++k) c[k] = p[k];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const Dihedral<V> dihedral(b);
    const TorsionSeries<V> series(dihedral);
    V energy{}, slope{}, pull[3];
    for (int k = 0; k < 3; ++k) {
      const V r = square_root(dot(b[k], b[k]));
      const V stretch = r - c[9 + k], factor = series.value(c + 3 * k);
      energy = energy + stretch * factor;
      slope = slope + stretch * series.slope(c + 3 * k);
      pull[k] = factor / not_zero(r);
    }
    dihedral.forces(b, slope, f);
    for (int k = 0; k < 3; ++k) f[k] = f[k] - b[k] * pull[k];
    return energy;
  }
};

}  // namespace
}  // namespace sterna::md
