// Idea:    a spring between the middle atom of three and a point on the line of the two others.
// Source:  GROMACS's linear angle: van der Spoel, Henschel, van Maaren, Ghahremanpour and Costa, J.
//          Chem. Phys. 153, 084503 (2020).
// Cost:    a few multiplications.
// Hazards: none: atoms in line have finite forces.
// Others:  "harmonic" with 180 degrees.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct LinearAngle {
  static constexpr std::string_view section = "angle";
  static constexpr std::string_view name = "linear";
  static constexpr std::string_view energy_name = "linear_angle";
  static constexpr std::string_view sentence =
      "A spring between the middle atom and a point on the line of the two others.";
  static constexpr std::string_view formula = "stiffness/2 |x2 - share x1 - (1 - share) x3|^2";
  static constexpr std::string_view source =
      "van der Spoel et al., J. Chem. Phys. 153, 084503 (2020)";
  static constexpr int atoms = 3;
  static constexpr bool is_directed = true;
  static constexpr BondedParameter parameters[] = {
      {"stiffness", Dimension::stiffness, from_zero, "of the spring, with a factor of 1/2", 12.0},
      {"share", Dimension::none, any_value, "of the first atom in the point on the line", 0.35}};
  static constexpr int coefficient_count = 2;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    for (std::size_t k = 0; k < 2; ++k) c[k] = p[k];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const V rest = ElementOf<V>(1) - c[1];
    const Triple<V> apart = b[0] * c[1] - b[1] * rest;
    f[0] = apart * (-c[0] * c[1]);
    f[1] = apart * (c[0] * rest);
    return ElementOf<V>(0.5) * c[0] * dot(apart, apart);
  }
};

}  // namespace
}  // namespace sterna::md
