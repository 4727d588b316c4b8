// Idea:    a product of harmonics of a dihedral angle and of its two bond angles. A sum of such
//          terms can be any function of the position of the last atom relative to the first three.
// Source:  dihedral_style spherical of LAMMPS.
// Cost:    six harmonics of each of three angles, of which one is used.
// Hazards: if atoms are in line the dihedral angle is undefined, and the energy has an edge unless
//          the factors of the bond angles are 0 there.
// Others:  "bending_torsion", which is always smooth.

#pragma once

#include <cmath>

#include "md/forces/bonded/terms/bend_torsion.hpp"

namespace sterna::md {
namespace {

struct SphericalTorsion {
  static constexpr std::string_view section = "torsion";
  static constexpr std::string_view name = "spherical";
  static constexpr std::string_view energy_name = "spherical_torsion";
  static constexpr std::string_view sentence =
      "A product of harmonics of the dihedral angle and of its two bond angles; several of the "
      "same "
      "atoms add up.";
  static constexpr std::string_view formula =
      "amplitude (offset_phi - cos(n_phi (phi - shift_phi))) (offset_theta1 - cos(n_theta1 "
      "(theta123 - "
      "shift_theta1))) (offset_theta2 - cos(n_theta2 (theta234 - shift_theta2)))";
  static constexpr std::string_view source = "LAMMPS, dihedral_style spherical";
  static constexpr int atoms = 4;
  static constexpr bool is_directed = true;
  static constexpr bool may_repeat = true;
  static constexpr Range of_multiples{.minimum = 0.0, .maximum = 6.0};
  static constexpr BondedParameter parameters[] = {
      {"amplitude", Dimension::energy, any_value, "of the product", 2.0},
      {"n_phi", Dimension::none, of_multiples, "multiple of the dihedral angle, an integer", 3.0,
       false, 0.0, true},
      {"shift_phi", Dimension::none, of_turns, "of the dihedral angle, in degrees", 30.0, false,
       0.0},
      {"offset_phi", Dimension::none, any_value, "of the factor of the dihedral angle", 0.8, false,
       0.0},
      {"n_theta1", Dimension::none, of_multiples, "multiple of the first angle, an integer", 2.0,
       false, 0.0, true},
      {"shift_theta1", Dimension::none, of_turns, "of the first angle, in degrees", 100.0, false,
       0.0},
      {"offset_theta1", Dimension::none, any_value, "of the factor of the first angle", 0.3, false,
       0.0},
      {"n_theta2", Dimension::none, of_multiples, "multiple of the last angle, an integer", 1.0,
       false, 0.0, true},
      {"shift_theta2", Dimension::none, of_turns, "of the last angle, in degrees", 70.0, false,
       0.0},
      {"offset_theta2", Dimension::none, any_value, "of the factor of the last angle", -0.4, false,
       0.0}};
  /// The coefficients: the amplitude; then for each angle the multiple, cosine and sine of the
  /// multiple times the shift, and the offset.
  static constexpr int coefficient_count = 13;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0];
    for (std::size_t k = 0; k < 3; ++k) {
      const double n = p[1 + 3 * k], shift = radians_per_degree * n * p[2 + 3 * k];
      c[1 + 4 * k] = n;
      c[2 + 4 * k] = std::cos(shift);
      c[3 + 4 * k] = std::sin(shift);
      c[4 + 4 * k] = p[3 + 3 * k];
    }
  }
  /// A factor and its derivative with respect to the angle; `c`: its coefficients as above.
  template <class V>
  [[gnu::always_inline]] static V factor(V cosine, V sine, const V* c, V& slope) {
    using Real = ElementOf<V>;
    const V zero{}, one = zero + Real(1);
    V cosine_n = one, sine_n = zero;
    for (int n = 1; n <= 6; ++n) {
      const V next = cosine_n * cosine - sine_n * sine;
      const V next_sine = sine_n * cosine + cosine_n * sine;
      const auto is_more = c[0] > zero + Real(n - 0.5);
      cosine_n = is_more ? next : cosine_n;
      sine_n = is_more ? next_sine : sine_n;
    }
    slope = c[0] * (sine_n * c[1] - cosine_n * c[2]);
    return c[3] - (cosine_n * c[1] + sine_n * c[2]);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    const Dihedral<V> dihedral(b);
    const TorsionBends<V> bends(b);
    const V inverse = dihedral.inverse_product();
    const V first2 = dot(b[0], b[0]), middle2 = dot(b[1], b[1]), last2 = dot(b[2], b[2]);
    const V of_first = Real(1) / not_zero(square_root(first2 * middle2));
    const V of_last = Real(1) / not_zero(square_root(middle2 * last2));
    V slopes[3];
    const V phi = factor(dihedral.cosine_product * inverse, dihedral.sine_product * inverse, c + 1,
                         slopes[0]);
    const V first =
        factor(bends.first.cosine * of_first, bends.first.sine * of_first, c + 5, slopes[1]);
    const V last = factor(bends.last.cosine * of_last, bends.last.sine * of_last, c + 9, slopes[2]);
    dihedral.forces(b, c[0] * slopes[0] * first * last, f);
    bends.add_forces(b, c[0] * phi * slopes[1] * last, c[0] * phi * first * slopes[2], f);
    return c[0] * phi * first * last;
  }
};

}  // namespace
}  // namespace sterna::md
