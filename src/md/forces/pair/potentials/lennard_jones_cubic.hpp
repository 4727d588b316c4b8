// Idea:    the Lennard-Jones potential up to its inflection, and beyond a cubic polynomial, which
//          ends with slope 0 at 67/48 of this distance.
// Source:  Holian and Ravelo, Phys. Rev. B 51, 11275 (1995); LAMMPS, pair_style lj/cubic.
// Cost:    as the Lennard-Jones potential, and a polynomial.
// Hazards: it ends already at 1.74 sigma.
// Others:  "lennard_jones" with another truncation.

#pragma once

#include <cmath>

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct LennardJonesCubic {
  static constexpr std::string_view name = "lennard_jones_cubic";
  static constexpr std::string_view sentence =
      "Lennard-Jones up to its inflection, and a cubic polynomial beyond: shock waves, fracture.";
  static constexpr std::string_view formula =
      "4 epsilon ((sigma/r)^12 - (sigma/r)^6) up to s = (26/7)^(1/6) sigma; from there to 67/48 s "
      "a cubic polynomial with the same value and slope, which ends with neither; 0 beyond";
  static constexpr std::string_view source =
      "Holian and Ravelo, Phys. Rev. B 51, 11275 (1995); LAMMPS, pair_style lj/cubic";
  static constexpr PairParameter parameters[] = {
      {"epsilon", Dimension::energy, number_from_zero, "depth of the well", 1.1},
      {"sigma", Dimension::length, positive_number, "distance at which the potential is zero",
       1.0}};
  static constexpr int coefficient_count = 6;
  /// the inflection in units of sigma, (26/7)^(1/6)
  static constexpr double inflection = 1.244455060259808;

  static double own_end(std::span<const double> p, double) {
    return 67.0 / 48.0 * inflection * p[1];
  }
  static void coefficients(std::span<const double> p, double, std::span<double> c) {
    const double sigma6 = std::pow(p[1], 6);
    c[1] = 4.0 * p[0] * sigma6;
    c[0] = c[1] * sigma6;
    c[2] = inflection * p[1];
    // At the inflection (sigma/r)^6 is 7/26. With this width, value and slope vanish together.
    const double x = 7.0 / 26.0, width = 19.0 / 48.0 * c[2];
    c[3] = 4.0 * p[0] * x * (x - 1.0);
    c[4] = 24.0 * p[0] * x * (1.0 - 2.0 * x) / c[2];
    c[5] = c[4] / (3.0 * width * width);
  }
  static PairScale scale(std::span<const double> p, double) { return {p[1], p[0]}; }

  static constexpr std::string_view mixing =
      "`epsilon` and `sigma` as those of `lennard_jones` (LAMMPS, pair_style lj/cubic)";
  static void mix(Mixing rule, std::span<const double> a, std::span<const double> b,
                  std::span<double> unlike) {
    mix_wells(rule, a, b, unlike);
  }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V inverse6 = pair.inverse_squared * pair.inverse_squared * pair.inverse_squared;
    const V repulsion = c[0] * inverse6 * inverse6, attraction = c[1] * inverse6;
    const V x = pair.distance - c[2], cubic = c[5] * x * x, zero{};
    const V u = x > zero ? c[3] + x * (c[4] - cubic) : repulsion - attraction;
    const V f = x > zero ? (3 * cubic - c[4]) * pair.inverse
                         : (12 * repulsion - 6 * attraction) * pair.inverse_squared;
    return {u, f};
  }
};

}  // namespace
}  // namespace sterna::md
