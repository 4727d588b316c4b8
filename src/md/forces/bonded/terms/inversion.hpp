// Idea:    a spring that holds the angle between a bond of a center and the plane of two others.
// Source:  improper_style inversion/harmonic of LAMMPS, of which MOF-FF has one for each of the
//          three bonds.
// Cost:    three square roots and an arc tangent.
// Hazards: the angle has no sign. Unless omega0 = 0 there are two minima, with an edge between them
//          at which the force is 0.
// Others:  "inversion_cosine", and "wilson", of all three bonds at once.

#pragma once

#include "md/forces/bonded/terms/out_of_plane.hpp"
#include "md/forces/bonded/terms/unsigned_improper.hpp"

namespace sterna::md {
namespace {

struct Inversion {
  static constexpr std::string_view section = "improper";
  static constexpr std::string_view name = "inversion";
  static constexpr std::string_view energy_name = "inversion";
  static constexpr std::string_view sentence =
      "A spring that holds the angle between a bond of a center and the plane of two others.";
  static constexpr std::string_view formula =
      "bending_stiffness/2 (|omega| - omega0)^2; the center is the first atom, omega is the angle "
      "of "
      "the last one's bond with the plane of the first three";
  static constexpr std::string_view source = "LAMMPS, improper_style inversion/harmonic; MOF-FF";
  static constexpr int atoms = 4;
  static constexpr bool is_directed = true;
  static constexpr BondedParameter parameters[] = {
      {"bending_stiffness", Dimension::energy, from_zero,
       "energy per square radian, with a factor of 1/2", 15.0},
      {"omega0",
       Dimension::none,
       {.minimum = 0.0, .maximum = 90.0},
       "angle with the plane at rest, in degrees",
       12.0,
       false,
       0.0}};
  static constexpr int coefficient_count = 2;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0];
    c[1] = radians_per_degree * p[1];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const Triple<V> u = b[0], v = b[0] + b[1], w = v + b[2];
    const OutOfPlane<V> out(u, v, w);
    const V omega = out.angle(), sign = sign_of(omega), bend = sign * omega - c[1];
    const V slope = c[0] * bend * sign;
    Triple<V> at_u{}, at_v{}, at_w{};
    out.add_forces(u, v, w, slope * out.cosine, -slope * out.sine, at_u, at_v, at_w);
    beyond(at_u, at_v, at_w, f);
    return ElementOf<V>(0.5) * c[0] * bend * bend;
  }
};

}  // namespace
}  // namespace sterna::md
