// Idea:    a steep well in the sum of the cosines of the three angles about a center, which keeps
//          the carbon of a ring plane.
// Source:  Destree, Laupretre, Lyulin and Ryckaert, J. Chem. Phys. 112, 9632 (2000), as
//          improper_style ring of LAMMPS has it.
// Cost:    three square roots.
// Hazards: the well is flat at its bottom: it has no harmonic frequency.
// Others:  "wilson".

#pragma once

#include "md/forces/bonded/bonded_term.hpp"
#include "md/forces/bonded/terms/out_of_plane.hpp"

namespace sterna::md {
namespace {

struct RingImproper {
  static constexpr std::string_view section = "improper";
  static constexpr std::string_view name = "ring";
  static constexpr std::string_view energy_name = "ring_improper";
  static constexpr std::string_view sentence =
      "A steep well in the sum of the cosines of the three angles about a center.";
  static constexpr std::string_view formula =
      "bending_stiffness/6 (cos theta23 + cos theta24 + cos theta34 - 3 cos theta0)^6; the center "
      "is "
      "the first atom, theta23 the angle of the second and the third about it";
  static constexpr std::string_view source = "LAMMPS, improper_style ring";
  static constexpr int atoms = 4;
  static constexpr bool is_directed = true;
  static constexpr BondedParameter parameters[] = {
      {"bending_stiffness", Dimension::energy, from_zero, "of the well, with a factor of 1/6", 6.0},
      {"theta0", Dimension::none, of_angles, "angle at rest, in degrees, if all three are the same",
       119.0}};
  static constexpr int coefficient_count = 2;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    c[0] = p[0];
    c[1] = 3.0 * std::cos(radians_per_degree * p[1]);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    const Triple<V> u = b[0], v = b[0] + b[1], w = v + b[2];
    const auto inverse = [](const Triple<V>& d) {
      return Real(1) / not_zero(square_root(dot(d, d)));
    };
    const V of_u = inverse(u), of_v = inverse(v), of_w = inverse(w);
    const Triple<V> x = u * of_u, y = v * of_v, z = w * of_w;
    const V xy = dot(x, y), xz = dot(x, z), yz = dot(y, z);
    const V apart = xy + xz + yz - c[1], square = apart * apart;
    const V slope = -c[0] * square * square * apart;
    beyond((y + z - x * (xy + xz)) * (slope * of_u), (x + z - y * (xy + yz)) * (slope * of_v),
           (x + y - z * (xz + yz)) * (slope * of_w), f);
    return Real(1.0 / 6.0) * c[0] * square * square * square;
  }
};

}  // namespace
}  // namespace sterna::md
