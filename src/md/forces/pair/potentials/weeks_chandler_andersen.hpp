// Idea:    the repulsive part of the Lennard-Jones potential, shifted to end at its minimum.
// Source:  Weeks, Chandler and Andersen, J. Chem. Phys. 54, 5237 (1971).
// Cost:    as the Lennard-Jones potential.
// Hazards: none.
// Others:  "lennard_jones" with a cutoff of 2^(1/6) sigma, "shifted", if all pairs are alike.

#pragma once

#include <cmath>

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct WeeksChandlerAndersen {
  static constexpr std::string_view name = "weeks_chandler_andersen";
  static constexpr std::string_view sentence =
      "Weeks, Chandler and Andersen: purely repulsive spheres, smooth.";
  static constexpr std::string_view formula =
      "4 epsilon ((sigma/r)^12 - (sigma/r)^6) + epsilon up to r = 2^(1/6) sigma, 0 beyond";
  static constexpr std::string_view source =
      "Weeks, Chandler and Andersen, J. Chem. Phys. 54, 5237 (1971)";
  static constexpr PairParameter parameters[] = {
      {"epsilon", Dimension::energy, positive_number, "energy at r = sigma", 1.0},
      {"sigma", Dimension::length, positive_number, "diameter", 1.0}};
  static constexpr int coefficient_count = 3;

  static double own_end(std::span<const double> p, double) { return 1.122462048309373 * p[1]; }
  static void coefficients(std::span<const double> p, double, std::span<double> c) {
    const double sigma6 = std::pow(p[1], 6);
    c[1] = 4.0 * p[0] * sigma6;
    c[0] = c[1] * sigma6;
    c[2] = p[0];
  }
  static PairScale scale(std::span<const double> p, double) { return {p[1], p[0]}; }

  static constexpr std::string_view mixing = "`epsilon` and `sigma` as those of `lennard_jones`";
  static void mix(Mixing rule, std::span<const double> a, std::span<const double> b,
                  std::span<double> unlike) {
    mix_wells(rule, a, b, unlike);
  }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V inverse6 = pair.inverse_squared * pair.inverse_squared * pair.inverse_squared;
    const V repulsion = c[0] * inverse6 * inverse6, attraction = c[1] * inverse6;
    return {repulsion - attraction + c[2],
            (12 * repulsion - 6 * attraction) * pair.inverse_squared};
  }
};

}  // namespace
}  // namespace sterna::md
