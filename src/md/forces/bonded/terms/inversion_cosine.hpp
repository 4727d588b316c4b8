// Idea:    a polynomial in the cosine of the angle between a bond of a center and the plane of two
//          others.
// Source:  the inversions of DREIDING and UFF: Mayo, Olafson and Goddard, J. Phys. Chem. 94, 8897
//          (1990); Rappe et al., J. Am. Chem. Soc. 114, 10024 (1992).
// Cost:    four square roots.
// Hazards: the cosine is negative if the bond leans toward the two others. If it leans to neither
//          side, the cosine jumps from one sign to the other, unless the bond is normal to the
//          plane. If it is normal, the cosine has an edge, and the force is 0.
// Others:  "inversion", in the angle itself.

#pragma once

#include "md/forces/bonded/terms/out_of_plane.hpp"

namespace sterna::md {
namespace {

struct InversionCosine {
  static constexpr std::string_view section = "improper";
  static constexpr std::string_view name = "inversion_cosine";
  static constexpr std::string_view energy_name = "inversion_cosine";
  static constexpr std::string_view sentence =
      "A polynomial in the cosine of the angle between a bond of a center and the plane of two "
      "others.";
  static constexpr std::string_view formula =
      "c0 + c1 cos omega + c2 cos^2 omega; the center is the first atom, omega is the angle of the "
      "last one's bond with the plane of the first three, 0 where it points away from the two "
      "others";
  static constexpr std::string_view source =
      "Mayo, Olafson and Goddard, J. Phys. Chem. 94, 8897 (1990), DREIDING";
  static constexpr int atoms = 4;
  static constexpr bool is_directed = true;
  static constexpr BondedParameter parameters[] = {
      {"c0", Dimension::energy, any_value, "coefficient", 3.0, false, 0.0},
      {"c1", Dimension::energy, any_value, "coefficient", -8.0, false, 0.0},
      {"c2", Dimension::energy, any_value, "coefficient", 5.0, false, 0.0}};
  static constexpr int coefficient_count = 3;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (std::size_t n = 0; n < 3; ++n) c[n] = p[n];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    const Triple<V> u = b[0], v = b[0] + b[1], w = v + b[2];
    const OutOfPlane<V> out(u, v, w);
    const V zero{}, one = zero + Real(1);
    const V same_side = dot(w, u) * square_root(dot(v, v)) + dot(w, v) * square_root(dot(u, u));
    const V sign = same_side > zero ? -one : one;
    const V cosine = sign * out.cosine;
    Triple<V> at_u{}, at_v{}, at_w{};
    out.add_forces(u, v, w, zero, sign * (c[1] + Real(2) * c[2] * cosine), at_u, at_v, at_w);
    beyond(at_u, at_v, at_w, f);
    return c[0] + cosine * (c[1] + c[2] * cosine);
  }
};

}  // namespace
}  // namespace sterna::md
