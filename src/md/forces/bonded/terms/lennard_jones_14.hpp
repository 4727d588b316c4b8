// Idea:    the Lennard-Jones part of two atoms whose pair is excluded elsewhere, mostly three bonds
//          apart.
// Source:  general; without a cutoff, as in OpenMM's exceptions and GROMACS's [pairs].
// Cost:    a division.
// Hazards: none.
// Others:  none.

#pragma once

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct LennardJones14 {
  static constexpr std::string_view section = "special_pair";
  static constexpr std::string_view name = "lennard_jones";
  static constexpr std::string_view energy_name = "lennard_jones_14";
  static constexpr std::string_view sentence = "The Lennard-Jones part of a special pair.";
  static constexpr std::string_view formula = "4 epsilon ((sigma/r)^12 - (sigma/r)^6)";
  static constexpr std::string_view source = "general";
  static constexpr int atoms = 2;
  static constexpr BondedParameter parameters[] = {
      {"epsilon", Dimension::energy, from_zero, "depth of the well", 0.8, false, 0.0},
      {"sigma", Dimension::length, above_zero, "distance at which it is 0", 0.9, false, 1.0}};
  static constexpr int coefficient_count = 2;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    const double s3 = p[1] * p[1] * p[1], s6 = s3 * s3;
    c[0] = 4.0 * p[0] * s6 * s6;
    c[1] = 4.0 * p[0] * s6;
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    const V inverse2 = Real(1) / not_zero(dot(b[0], b[0]));
    const V inverse6 = inverse2 * inverse2 * inverse2;
    f[0] = b[0] * (inverse2 * inverse6 * (Real(12) * c[0] * inverse6 - Real(6) * c[1]));
    return inverse6 * (c[0] * inverse6 - c[1]);
  }
};

}  // namespace
}  // namespace sterna::md
