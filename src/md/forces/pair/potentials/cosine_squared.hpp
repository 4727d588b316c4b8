// Idea:    a well with a flat bottom out to some distance and a smooth end: for lipids of three
//          beads that self-assemble into membranes.
// Source:  Cooke, Kremer and Deserno, Phys. Rev. E 72, 011506 (2005).
// Cost:    as the Lennard-Jones potential, and a sine and a cosine.
// Hazards: without the repulsion particles pass through each other.
// Others:  "weeks_chandler_andersen", for beads that only repel.

#pragma once

#include <cmath>

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct CosineSquared {
  static constexpr std::string_view name = "cosine_squared";
  static constexpr std::string_view sentence =
      "A well that ends as the square of a cosine: coarse lipids (Cooke and Deserno).";
  static constexpr std::string_view formula =
      "-epsilon cos(pi (r - r0)/(2 (cutoff - r0)))^2 from r0 to the cutoff; nearer, "
      "epsilon ((r0/r)^12 - 2 (r0/r)^6) where repulsion = 1, -epsilon where it is 0";
  static constexpr std::string_view source =
      "Cooke, Kremer and Deserno, Phys. Rev. E 72, 011506 (2005)";
  static constexpr Range zero_or_one{.minimum = 0.0, .maximum = 1.0};
  static constexpr PairParameter parameters[] = {
      {"epsilon", Dimension::energy, number_from_zero, "depth of the well", 1.3},
      {"r0", Dimension::length, positive_number, "distance at which it begins to rise", 1.1},
      {"repulsion", Dimension::none, zero_or_one, "1: a core; 0: the bottom is flat down to r = 0",
       1.0, false, 1.0}};
  static constexpr int coefficient_count = 6;

  static double own_end(std::span<const double>, double cutoff) { return cutoff; }
  static std::string_view contradiction(std::span<const double> p) {
    return p[2] == 0.0 || p[2] == 1.0 ? "" : "\"repulsion\" of a pair must be 0 or 1";
  }
  static void coefficients(std::span<const double> p, double cutoff, std::span<double> c) {
    constexpr double pi = 3.14159265358979323846;
    const double width = cutoff - p[1], sixth = std::pow(p[1], 6);
    c[0] = p[0];
    c[1] = p[1];
    c[2] = width > 0.0 ? 0.25 * pi / width : 0.0;
    c[3] = p[2] * p[0] * sixth * sixth;
    c[4] = p[2] * 2.0 * p[0] * sixth;
    c[5] = (1.0 - p[2]) * p[0];
  }
  static PairScale scale(std::span<const double> p, double) { return {p[1], p[0]}; }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V inverse6 = pair.inverse_squared * pair.inverse_squared * pair.inverse_squared;
    const V repulsion = c[3] * inverse6 * inverse6, attraction = c[4] * inverse6;
    const V x = pair.distance - c[1], zero{};
    V sine, cosine;
    sine_and_cosine_of_double(c[2] * larger(x, zero), sine, cosine);
    const V u = x > zero ? -(c[0] * cosine * cosine) : repulsion - attraction - c[5];
    const V f = x > zero ? -(4 * c[0] * c[2] * sine * cosine) * pair.inverse
                         : (12 * repulsion - 6 * attraction) * pair.inverse_squared;
    return {u, f};
  }
};

}  // namespace
}  // namespace sterna::md
