// Idea:    a bond between two beads of a polymer that cannot be longer than a maximum, so that
//          chains do not cross, with the beads' own repulsion.
// Source:  Kremer and Grest, J. Chem. Phys. 92, 5057 (1990).
// Cost:    a logarithm and two divisions.
// Hazards: a bond that comes near its maximum length needs shorter time steps. Beyond 0.9487 of it,
//          where 1 - (r / r_max)^2 is 0.1, the force grows linearly, as in LAMMPS: a bond that broke
//          in one step is pulled back.
// Others:  "harmonic" where bonds may be of any length.

#pragma once

#include <cmath>

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {
namespace {

struct FeneBond {
  static constexpr std::string_view section = "bond";
  static constexpr std::string_view name = "fene";
  static constexpr std::string_view energy_name = "fene_bond";
  static constexpr std::string_view sentence =
      "A bond of bead-spring polymers, of finite length, with repulsion.";
  static constexpr std::string_view formula =
      "-stiffness/2 r_max^2 ln(1 - (r/r_max)^2), and 4 epsilon ((sigma/r)^12 - (sigma/r)^6) + "
      "epsilon up to r = 2^(1/6) sigma";
  static constexpr std::string_view source = "Kremer and Grest, J. Chem. Phys. 92, 5057 (1990)";
  static constexpr int atoms = 2;
  static constexpr BondedParameter parameters[] = {
      {"stiffness", Dimension::stiffness, from_zero, "of the spring at short lengths", 30.0},
      {"r_max", Dimension::length, above_zero, "length at which the energy is infinite", 1.9},
      {"epsilon", Dimension::energy, from_zero, "of the repulsion", 1.1, false, 0.0},
      {"sigma", Dimension::length, above_zero, "of the repulsion", 1.2, false, 1.0}};
  static constexpr int coefficient_count = 6;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    const double s3 = p[3] * p[3] * p[3], s6 = s3 * s3;
    c[0] = p[0];
    c[1] = p[1] * p[1];
    c[2] = 4.0 * p[2] * s6 * s6;
    c[3] = 4.0 * p[2] * s6;
    c[4] = p[2];
    c[5] = std::cbrt(2.0) * p[3] * p[3];
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    constexpr Real least = static_cast<Real>(0.1);
    const V squared = dot(b[0], b[0]);
    const V left = larger(Real(1) - squared / c[1], V{} + least);
    // The energy goes on as that of a spring where the logarithm's argument is held.
    const V beyond = larger(squared - c[1] * (Real(1) - least), V{});
    const V spring = c[0] * (beyond * (Real(0.5) / least) - Real(0.5) * c[1] * logarithm(left));
    const V inverse2 = Real(1) / not_zero(squared);
    const V inverse6 = inverse2 * inverse2 * inverse2;
    const V repels = squared < c[5] ? V{} + Real(1) : V{};
    const V push = inverse2 * inverse6 * (Real(12) * c[2] * inverse6 - Real(6) * c[3]);
    f[0] = b[0] * (repels * push - c[0] / left);
    return spring + repels * (inverse6 * (c[2] * inverse6 - c[3]) + c[4]);
  }
};

}  // namespace
}  // namespace sterna::md
