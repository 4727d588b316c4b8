// Idea:    a coupling of two angles about a center that have an atom in common.
// Source:  the angle-angle term of CFF and COMPASS ("class 2"), Maple et al., J. Comput. Chem. 15,
//          162 (1994).
// Cost:    three arc tangents and square roots.
// Hazards: it has no lower bound by itself, so it must be used with springs that hold the angles.
// Others:  none.

#pragma once

#include "md/forces/bonded/terms/bend.hpp"
#include "md/forces/bonded/terms/out_of_plane.hpp"

namespace sterna::md {
namespace {

struct AngleAngle {
  static constexpr std::string_view section = "improper";
  static constexpr std::string_view name = "angle_angle";
  static constexpr std::string_view energy_name = "angle_angle";
  static constexpr std::string_view sentence =
      "Products of the deviations of two of the three angles about a center.";
  static constexpr std::string_view formula =
      "m2 t23 t24 + m3 t23 t34 + m4 t24 t34; t23 = theta - theta23 of the angle between the second "
      "and the third atom about the first, which is the center, and so on";
  static constexpr std::string_view source = "Maple et al., J. Comput. Chem. 15, 162 (1994), CFF";
  static constexpr int atoms = 4;
  static constexpr bool is_directed = true;
  static constexpr BondedParameter parameters[] = {
      {"m2", Dimension::energy, any_value, "of the two angles with the second atom", 7.0, false,
       0.0},
      {"m3", Dimension::energy, any_value, "of the two angles with the third atom", -4.0, false,
       0.0},
      {"m4", Dimension::energy, any_value, "of the two angles with the fourth atom", 3.0, false,
       0.0},
      {"theta23", Dimension::none, of_angles, "angle at rest, in degrees", 112.0},
      {"theta24", Dimension::none, of_angles, "angle at rest, in degrees", 105.0},
      {"theta34", Dimension::none, of_angles, "angle at rest, in degrees", 98.0}};
  static constexpr int coefficient_count = 6;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (std::size_t k = 0; k < 3; ++k) c[k] = p[k];
    for (std::size_t k = 3; k < 6; ++k) c[k] = radians_per_degree * p[k];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const Triple<V> u = b[0], v = b[0] + b[1], w = v + b[2];
    const Bend<V> uv(u, v), uw(u, w), vw(v, w);
    const V t23 = uv.angle - c[3], t24 = uw.angle - c[4], t34 = vw.angle - c[5];
    Triple<V> at_u{}, at_v{}, at_w{};
    uv.add_forces(u, v, c[0] * t24 + c[1] * t34, at_u, at_v);
    uw.add_forces(u, w, c[0] * t23 + c[2] * t34, at_u, at_w);
    vw.add_forces(v, w, c[1] * t23 + c[2] * t24, at_v, at_w);
    beyond(at_u, at_v, at_w, f);
    return c[0] * t23 * t24 + c[1] * t23 * t34 + c[2] * t24 * t34;
  }
};

}  // namespace
}  // namespace sterna::md
