// Idea:    a harmonic of the angle between two vectors, each of which joins two atoms.
// Source:  the angle restraint of GROMACS; improper_style cossq of LAMMPS is one of twice the
//          angle.
// Cost:    six harmonics of one angle.
// Hazards: if the vectors are parallel and the phase is no multiple of 180 degrees, the energy has
//          an edge, and the force is 0.
// Others:  "periodic", of the dihedral angle.

#pragma once

#include <cmath>

#include "md/forces/bonded/terms/bend.hpp"

namespace sterna::md {
namespace {

struct VectorAngle {
  static constexpr std::string_view section = "improper";
  static constexpr std::string_view name = "vector_angle";
  static constexpr std::string_view energy_name = "vector_angle";
  static constexpr std::string_view sentence =
      "A harmonic of the angle between two vectors that join two atoms each.";
  static constexpr std::string_view formula =
      "amplitude (1 + cos(multiplicity theta - phase)); theta is the angle between the vectors "
      "from "
      "the first atom to the second and from the third to the fourth";
  static constexpr std::string_view source = "GROMACS, angle restraints";
  static constexpr int atoms = 4;
  static constexpr BondedParameter parameters[] = {
      {"amplitude", Dimension::energy, any_value, "half of the barrier", 2.0},
      {"multiplicity",
       Dimension::none,
       {.minimum = 1.0, .maximum = 6.0},
       "minima of a full turn, an integer",
       3.0,
       true,
       0.0,
       true},
      {"phase", Dimension::none, of_turns, "angle of a maximum times the multiplicity, in degrees",
       30.0, false, 0.0}};
  static constexpr int coefficient_count = 4;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    // For a multiple of 180 degrees the sine is set to exactly 0, because rounding would make an
    // edge.
    const bool is_even = std::remainder(p[2], 180.0) == 0.0;
    c[0] = p[0];
    c[1] = p[0] * std::cos(radians_per_degree * p[2]);
    c[2] = is_even ? 0.0 : p[0] * std::sin(radians_per_degree * p[2]);
    c[3] = p[1];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    const Bend<V> bend(b[0], b[2]);
    const V inverse = Real(1) / not_zero(square_root(dot(b[0], b[0]) * dot(b[2], b[2])));
    const V cosine = bend.cosine * inverse, sine = bend.sine * inverse;
    V cosine_n = cosine, sine_n = sine;
    for (int n = 2; n <= 6; ++n) {
      const V next = cosine_n * cosine - sine_n * sine;
      const V next_sine = sine_n * cosine + cosine_n * sine;
      const auto is_more = c[3] > V{} + Real(n - 0.5);
      cosine_n = is_more ? next : cosine_n;
      sine_n = is_more ? next_sine : sine_n;
    }
    Triple<V> at_first{}, at_second{};
    bend.add_forces(b[0], b[2], c[3] * (c[2] * cosine_n - c[1] * sine_n), at_first, at_second);
    f[0] = at_first;
    f[1] = {V{}, V{}, V{}};
    f[2] = at_second;
    return c[0] + c[1] * cosine_n + c[2] * sine_n;
  }
};

}  // namespace
}  // namespace sterna::md
