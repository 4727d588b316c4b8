// Idea:    a torsion that vanishes if either of its bond angles becomes 180 degrees, where the
//          dihedral angle is undefined, so that forces stay finite for all angles.
// Source:  Bulacu et al., J. Chem. Theory Comput. 9, 3282 (2013), combined bending-torsion;
//          Martini.
// Cost:    two square roots and four divisions.
// Hazards: the polynomial is in the cosine, so both signs of phi have the same energy.
// Others:  "ryckaert_bellemans", the same polynomial without the factors of the bond angles.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct BendingTorsion {
  static constexpr std::string_view section = "torsion";
  static constexpr std::string_view name = "bending_torsion";
  static constexpr std::string_view energy_name = "bending_torsion";
  static constexpr std::string_view sentence =
      "A polynomial in the cosine of the dihedral angle that fades where a bond angle opens.";
  static constexpr std::string_view formula =
      "sin^3 theta1 sin^3 theta2 (c0 + c1 cos phi + ... + c4 cos^4 phi)";
  static constexpr std::string_view source =
      "Bulacu et al., J. Chem. Theory Comput. 9, 3282 (2013)";
  static constexpr int atoms = 4;
  static constexpr BondedParameter parameters[] = {
      {"c0", Dimension::energy, any_value, "coefficient", 2.0, false, 0.0},
      {"c1", Dimension::energy, any_value, "coefficient", -1.2, false, 0.0},
      {"c2", Dimension::energy, any_value, "coefficient", 3.3, false, 0.0},
      {"c3", Dimension::energy, any_value, "coefficient", 4.1, false, 0.0},
      {"c4", Dimension::energy, any_value, "coefficient", -2.4, false, 0.0}};
  static constexpr int coefficient_count = 5;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (std::size_t n = 0; n < 5; ++n) c[n] = p[n];
  }
  // The normals are n1 = b0 x b1 and n2 = b1 x b2. With w = |n1| |n2| and D = |b0| |b1|^2 |b2| the
  // energy is (w / D)^3 sum c_n cos^n phi. Derivatives are taken of n1^2, n2^2, n1.n2 and D.
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    const Triple<V> first = cross(b[0], b[1]), second = cross(b[1], b[2]);
    const V a_squared = dot(first, first), b_squared = dot(second, second);
    const V w = square_root(a_squared * b_squared);
    const V cosine = dot(first, second) / not_zero(w);
    V sum = c[4], derivative{};
    for (int n = 3; n >= 0; --n) {
      derivative = derivative * cosine + sum;
      sum = sum * cosine + c[n];
    }
    const V l0 = dot(b[0], b[0]), l1 = dot(b[1], b[1]), l2 = dot(b[2], b[2]);
    const V d = square_root(l0 * l2) * l1;
    const V scale = Real(1) / not_zero(d * d * d);
    const V energy = w * w * w * sum * scale;
    // Twice the derivatives with respect to A and B, and the derivative with respect to n1.n2.
    const V faded = (Real(3) * sum - cosine * derivative) * w * scale;
    const V of_first = faded * b_squared, of_second = faded * a_squared;
    const V of_product = derivative * w * w * scale;
    const V length = Real(3) * energy;
    f[0] = b[0] * (length / not_zero(l0)) - cross(b[1], first) * of_first -
           cross(b[1], second) * of_product;
    f[1] = b[1] * (Real(2) * length / not_zero(l1)) - cross(first, b[0]) * of_first -
           cross(b[2], second) * of_second -
           (cross(second, b[0]) + cross(b[2], first)) * of_product;
    f[2] = b[2] * (length / not_zero(l2)) - cross(second, b[1]) * of_second -
           cross(first, b[1]) * of_product;
    return energy;
  }
};

}  // namespace
}  // namespace sterna::md
