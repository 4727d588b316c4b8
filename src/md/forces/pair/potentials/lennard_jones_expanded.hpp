// Idea:    the Lennard-Jones potential between surfaces: of the distance minus a displacement, for
//          particles that are large compared with the range of their attraction.
// Source:  LAMMPS, pair_style lj/expand.
// Cost:    as the Lennard-Jones potential, and another reciprocal.
// Hazards: infinite if r equals the displacement; closer particles are inside each other.
// Others:  "mie" with large exponents.

#pragma once

#include <cmath>

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct LennardJonesExpanded {
  static constexpr std::string_view name = "lennard_jones_expanded";
  static constexpr std::string_view sentence =
      "Lennard-Jones between surfaces: large particles whose attraction is short.";
  static constexpr std::string_view formula =
      "4 epsilon ((sigma/(r - displacement))^12 - (sigma/(r - displacement))^6)";
  static constexpr std::string_view source = "LAMMPS, pair_style lj/expand";
  static constexpr PairParameter parameters[] = {
      {"epsilon", Dimension::energy, number_from_zero, "depth of the well", 0.8},
      {"sigma", Dimension::length, positive_number,
       "distance of the surfaces at which the potential is zero", 0.8},
      {"displacement", Dimension::length, any_number, "between the centers where the surfaces meet",
       0.2}};
  static constexpr int coefficient_count = 3;

  static void coefficients(std::span<const double> p, double, std::span<double> c) {
    const double sigma6 = std::pow(p[1], 6);
    c[1] = 4.0 * p[0] * sigma6;
    c[0] = c[1] * sigma6;
    c[2] = p[2];
  }
  static PairScale scale(std::span<const double> p, double) {
    return {p[1] + (p[2] > 0.0 ? p[2] : 0.0), p[0]};
  }

  static constexpr std::string_view mixing =
      "`epsilon` and `sigma` as those of `lennard_jones`, `displacement` as the arithmetic mean "
      "(LAMMPS, pair_style lj/expand)";
  static void mix(Mixing rule, std::span<const double> a, std::span<const double> b,
                  std::span<double> unlike) {
    mix_wells(rule, a, b, unlike);
    unlike[2] = 0.5 * (a[2] + b[2]);
  }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V apart = pair.distance - c[2];
    const V inverse = ElementOf<V>(1) / apart;
    const V inverse2 = inverse * inverse, inverse6 = inverse2 * inverse2 * inverse2;
    const V repulsion = c[0] * inverse6 * inverse6, attraction = c[1] * inverse6;
    return {repulsion - attraction, (12 * repulsion - 6 * attraction) * inverse * pair.inverse};
  }
};

}  // namespace
}  // namespace sterna::md
