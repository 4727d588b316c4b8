// Idea:    the Lennard-Jones potential with both exponents free, whole numbers or not.
// Source:  Mie, Ann. Phys. 316, 657 (1903).
// Cost:    a logarithm and two exponentials.
// Hazards: an attraction that falls as slowly as r^-3 has no finite integral beyond the cutoff.
// Others:  "lennard_jones" for 12 and 6, which needs no logarithm and no exponential.

#pragma once

#include <cmath>

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct Mie {
  static constexpr std::string_view name = "mie";
  static constexpr std::string_view sentence =
      "Mie's n-m potential: repulsion and attraction by powers of your choice.";
  static constexpr std::string_view formula =
      "n/(n-m) (n/m)^(m/(n-m)) epsilon ((sigma/r)^n - (sigma/r)^m), with n = repulsive_exponent "
      "and m = attractive_exponent";
  static constexpr std::string_view source = "Mie, Ann. Phys. 316, 657 (1903)";
  static constexpr Range exponent{.minimum = 3.0, .maximum = 100.0, .exclusive_minimum = true};
  static constexpr PairParameter parameters[] = {
      {"epsilon", Dimension::energy, positive_number, "depth of the well", 1.2},
      {"sigma", Dimension::length, positive_number, "distance at which the potential is zero", 1.0},
      {"repulsive_exponent", Dimension::none, exponent,
       "n; greater than the exponent of the attraction", 14.0},
      {"attractive_exponent", Dimension::none, exponent, "m", 7.0, false, 6.0}};
  static constexpr int coefficient_count = 4;

  /// Returns why these values are invalid; empty if they are valid.
  static std::string_view contradiction(std::span<const double> p) {
    return p[2] > p[3] ? "" : "\"repulsive_exponent\" must be greater than \"attractive_exponent\"";
  }

  static void coefficients(std::span<const double> p, double, std::span<double> c) {
    const double n = p[2], m = p[3];
    c[0] = n / (n - m) * std::pow(n / m, m / (n - m)) * p[0];
    c[1] = n;
    c[2] = m;
    c[3] = std::log(p[1]);
  }
  static PairScale scale(std::span<const double> p, double) { return {p[1], p[0]}; }

  static constexpr std::string_view mixing =
      "`epsilon` and `sigma` as those of `lennard_jones`, the exponents by the mean of `sigma` "
      "(Potoff and Bernard-Brunel, J. Phys. Chem. B 113, 14725 (2009); LAMMPS, pair_style "
      "mie/cut); "
      "`\"waldman_hagler\"` for an attraction of r^-6 and equal exponents, `\"kong\"` for 12 and 6";
  /// Both rules are means of coefficients of r^-6, and of r^-12 in that of Kong.
  static std::string_view no_mixing(Mixing rule, std::span<const double> a,
                                    std::span<const double> b) {
    const bool is_alike = a[2] == b[2] && a[3] == 6.0 && b[3] == 6.0;
    if (rule == Mixing::waldman_hagler && !is_alike) {
      return "it is a rule for an attractive exponent of 6 and equal repulsive exponents";
    }
    if (rule == Mixing::kong && !(is_alike && a[2] == 12.0)) {
      return "it is a rule for the exponents 12 and 6";
    }
    return {};
  }
  static void mix(Mixing rule, std::span<const double> a, std::span<const double> b,
                  std::span<double> unlike) {
    mix_wells(rule, a, b, unlike);
    unlike[2] = mixed_length(rule, a[2], b[2]);
    unlike[3] = mixed_length(rule, a[3], b[3]);
  }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V logarithm_of_ratio = c[3] - 0.5 * logarithm(pair.squared);
    const V repulsion = c[0] * bounded_exponential(c[1] * logarithm_of_ratio);
    const V attraction = c[0] * bounded_exponential(c[2] * logarithm_of_ratio);
    return {repulsion - attraction, (c[1] * repulsion - c[2] * attraction) * pair.inverse_squared};
  }
};

}  // namespace
}  // namespace sterna::md
