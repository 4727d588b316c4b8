// Idea:    a spring that holds the mean of the angles that each bond of a center has with the plane
//          of the two others.
// Source:  the out-of-plane term of CFF and COMPASS ("class 2"), Maple et al., J. Comput. Chem. 15,
//          162 (1994); Wilson's angle.
// Cost:    three times that of "inversion".
// Hazards: the angle has a sign, which changes if two atoms are exchanged.
// Others:  "inversion".

#pragma once

#include "md/forces/bonded/terms/out_of_plane.hpp"

namespace sterna::md {
namespace {

struct WilsonImproper {
  static constexpr std::string_view section = "improper";
  static constexpr std::string_view name = "wilson";
  static constexpr std::string_view energy_name = "wilson_improper";
  static constexpr std::string_view sentence =
      "A spring that holds the mean angle of three bonds of a center with the plane of the others.";
  static constexpr std::string_view formula =
      "bending_stiffness/2 (chi - chi0)^2; the center is the first atom, chi is the mean of the "
      "angles of (b, c, d), (c, d, b) and (d, b, c): of the last one's bond with the plane of the "
      "two others, above 0 where the three are right-handed";
  static constexpr std::string_view source = "Maple et al., J. Comput. Chem. 15, 162 (1994), CFF";
  static constexpr int atoms = 4;
  static constexpr bool is_directed = true;
  static constexpr BondedParameter parameters[] = {
      {"bending_stiffness", Dimension::energy, from_zero,
       "energy per square radian, with a factor of 1/2", 15.0},
      {"chi0", Dimension::none, of_turns, "mean angle at rest, in degrees", 5.0, false, 0.0}};
  static constexpr int coefficient_count = 2;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0];
    c[1] = radians_per_degree * p[1];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    const Triple<V> u = b[0], v = b[0] + b[1], w = v + b[2];
    const OutOfPlane<V> first(u, v, w), second(v, w, u), third(w, u, v);
    const V mean = (first.angle() + second.angle() + third.angle()) * Real(1.0 / 3.0);
    const V bend = mean - c[1], slope = Real(1.0 / 3.0) * c[0] * bend;
    Triple<V> at_u{}, at_v{}, at_w{};
    first.add_forces(u, v, w, slope * first.cosine, -slope * first.sine, at_u, at_v, at_w);
    second.add_forces(v, w, u, slope * second.cosine, -slope * second.sine, at_v, at_w, at_u);
    third.add_forces(w, u, v, slope * third.cosine, -slope * third.sine, at_w, at_u, at_v);
    beyond(at_u, at_v, at_w, f);
    return Real(0.5) * c[0] * bend * bend;
  }
};

}  // namespace
}  // namespace sterna::md
