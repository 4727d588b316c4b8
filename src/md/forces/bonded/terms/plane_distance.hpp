// Idea:    a polynomial in the distance of a center from the plane of its three neighbors.
// Source:  improper_style distance, distharm and sqdistharm of LAMMPS; QuickFF.
// Cost:    a square root and two divisions.
// Hazards: the distance has a sign. With a highest coefficient below zero the energy falls without
//          limit. Where the three neighbors are in line there is no plane, and no force acts.
// Others:  "wilson", in angles.

#pragma once

#include "md/forces/bonded/terms/out_of_plane.hpp"

namespace sterna::md {
namespace {

struct PlaneDistance {
  static constexpr std::string_view section = "improper";
  static constexpr std::string_view name = "plane_distance";
  static constexpr std::string_view energy_name = "plane_distance";
  static constexpr std::string_view sentence =
      "A polynomial in the distance of a center from the plane of three other atoms.";
  static constexpr std::string_view formula =
      "c0 + k1 d + k2 d^2 + k3 d^3 + k4 d^4; d is the distance of the first atom from the plane of "
      "the "
      "three others, above 0 where these are seen counterclockwise from it";
  static constexpr std::string_view source = "LAMMPS, improper_style distance; QuickFF";
  static constexpr int atoms = 4;
  static constexpr bool is_directed = true;
  static constexpr BondedParameter parameters[] = {
      {"c0", Dimension::energy, any_value, "coefficient", 3.0, false, 0.0},
      {"k1", Dimension::force, any_value, "coefficient of the first order", -2.0, false, 0.0},
      {"k2", Dimension::stiffness, any_value, "coefficient of the second order", 9.0, false, 0.0},
      {"k3", Dimension::energy_per_length_3, any_value, "coefficient of the third order", 1.5,
       false, 0.0},
      {"k4", Dimension::energy_per_length_4, any_value, "coefficient of the fourth order", 4.0,
       false, 0.0}};
  static constexpr int coefficient_count = 5;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (std::size_t n = 0; n < 5; ++n) c[n] = p[n];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    // Vectors from the second atom: p and q to the last two atoms span the plane; the first atom is
    // at -b[0].
    const Triple<V> p = b[1], q = b[1] + b[2], normal = cross(p, q);
    const V squared = dot(normal, normal);
    const V inverse = ElementOf<V>(1) / not_zero(square_root(squared));
    const V d = -dot(b[0], normal) * inverse;
    V energy = c[4], derivative{};
    for (int n = 3; n >= 0; --n) {
      derivative = derivative * d + energy;
      energy = energy * d + c[n];
    }
    const V slope = derivative * inverse;
    const Triple<V> over_normal = (b[0] + normal * (d * inverse)) * (-slope);
    const Triple<V> at_third = cross(over_normal, q), at_fourth = cross(p, over_normal);
    f[0] = normal * slope;
    f[1] = at_third + at_fourth;
    f[2] = at_fourth;
    return energy;
  }
};

}  // namespace
}  // namespace sterna::md
