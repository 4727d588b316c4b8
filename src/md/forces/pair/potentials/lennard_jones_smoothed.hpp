// Idea:    the Lennard-Jones potential whose force, from some distance on, is a cubic polynomial
//          that continues value and slope and ends with both 0 at the cutoff.
// Source:  LAMMPS, pair_style lj/smooth.
// Cost:    as the Lennard-Jones potential, and a polynomial.
// Hazards: the energy does not end at 0; "shifted" subtracts its value at the cutoff.
// Others:  [interaction] truncation = "cubic_force_switched", which adds a polynomial to the force,
//          as GROMACS does.

#pragma once

#include <cmath>

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct LennardJonesSmoothed {
  static constexpr std::string_view name = "lennard_jones_smoothed";
  static constexpr std::string_view sentence =
      "Lennard-Jones with a force that goes smoothly to 0 (LAMMPS: lj/smooth).";
  static constexpr std::string_view formula =
      "4 epsilon ((sigma/r)^12 - (sigma/r)^6) up to smooth_start; beyond, the force is the cubic "
      "polynomial that takes over value and slope there and has neither at the cutoff";
  static constexpr std::string_view source = "LAMMPS, pair_style lj/smooth";
  static constexpr PairParameter parameters[] = {
      {"epsilon", Dimension::energy, number_from_zero, "depth of the well", 0.9},
      {"sigma", Dimension::length, positive_number, "distance at which the potential is zero", 1.0},
      {"smooth_start", Dimension::length, positive_number, "where the polynomial begins", 1.7}};
  static constexpr int coefficient_count = 9;

  static void coefficients(std::span<const double> p, double cutoff, std::span<double> c) {
    const double sigma6 = std::pow(p[1], 6), rs = p[2], width = cutoff - rs;
    c[1] = 4.0 * p[0] * sigma6;
    c[0] = c[1] * sigma6;
    c[2] = rs;
    c[3] = cutoff;
    const double inverse6 = std::pow(rs, -6);
    // The coefficients are energy, force and slope of the force at the begin of the polynomial,
    // then its higher orders.
    c[4] = inverse6 * (c[0] * inverse6 - c[1]);
    c[5] = inverse6 * (12.0 * c[0] * inverse6 - 6.0 * c[1]) / rs;
    c[6] = inverse6 * (42.0 * c[1] - 156.0 * c[0] * inverse6) / (rs * rs);
    c[7] = c[8] = 0.0;
    if (width > 0.0) {
      c[7] = -(3.0 * c[5] + 2.0 * c[6] * width) / (width * width);
      c[8] = (2.0 * c[5] + c[6] * width) / (width * width * width);
    }
  }
  static PairScale scale(std::span<const double> p, double) { return {p[1], p[0]}; }

  static constexpr std::string_view mixing =
      "`epsilon` and `sigma` as those of `lennard_jones`, `smooth_start` as `sigma` (LAMMPS, "
      "pair_style lj/smooth)";
  static void mix(Mixing rule, std::span<const double> a, std::span<const double> b,
                  std::span<double> unlike) {
    mix_wells(rule, a, b, unlike);
    unlike[2] = mixed_length(rule, a[2], b[2]);
  }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V inverse6 = pair.inverse_squared * pair.inverse_squared * pair.inverse_squared;
    const V repulsion = c[0] * inverse6 * inverse6, attraction = c[1] * inverse6;
    const V x = pair.distance - c[2], zero{};
    const V force = c[5] + x * (c[6] + x * (c[7] + x * c[8]));
    const V work = x * (c[5] + x * (0.5 * c[6] + x * (c[7] / 3 + x * (0.25 * c[8]))));
    const V smooth = pair.distance > c[3] ? zero : x;
    const V u = smooth > zero ? c[4] - work : repulsion - attraction;
    const V f = smooth > zero ? force * pair.inverse
                              : (12 * repulsion - 6 * attraction) * pair.inverse_squared;
    return {u, f};
  }
};

}  // namespace
}  // namespace sterna::md
