// Idea:    dispersion as r^-6, and a repulsion as the square of this power.
// Source:  Lennard-Jones, Proc. Phys. Soc. 43, 461 (1931).
// Cost:    seven multiplications and a reciprocal.
// Others:  the kernels of pair_kernels.inl, if all pairs of a run are of this kind.

#pragma once

#include <cmath>

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct LennardJones12_6 {
  static constexpr std::string_view name = "lennard_jones";
  static constexpr std::string_view sentence =
      "Lennard-Jones 12-6; what a pair of types is by mixing where no [[pair]] says otherwise.";
  static constexpr std::string_view formula = "4 epsilon ((sigma/r)^12 - (sigma/r)^6)";
  static constexpr std::string_view source = "Lennard-Jones, Proc. Phys. Soc. 43, 461 (1931)";
  static constexpr PairParameter parameters[] = {
      {"epsilon", Dimension::energy, number_from_zero, "depth of the well", 1.0},
      {"sigma", Dimension::length, positive_number, "distance at which the potential is zero",
       1.0}};
  static constexpr int coefficient_count = 2;
  static constexpr bool powers_12_and_6 = true;

  static void coefficients(std::span<const double> p, double, std::span<double> c) {
    const double sigma6 = std::pow(p[1], 6);
    c[1] = 4.0 * p[0] * sigma6;
    c[0] = c[1] * sigma6;
  }
  static PairScale scale(std::span<const double> p, double) { return {p[1], p[0]}; }

  static constexpr std::string_view mixing =
      "as `mixing` in `[interaction]` says, from `epsilon` and `sigma` of the types";
  static void mix(Mixing rule, std::span<const double> a, std::span<const double> b,
                  std::span<double> unlike) {
    mix_wells(rule, a, b, unlike);
  }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V inverse6 = pair.inverse_squared * pair.inverse_squared * pair.inverse_squared;
    const V repulsion = c[0] * inverse6 * inverse6, attraction = c[1] * inverse6;
    return {repulsion - attraction, (12 * repulsion - 6 * attraction) * pair.inverse_squared};
  }
};

}  // namespace
}  // namespace sterna::md
