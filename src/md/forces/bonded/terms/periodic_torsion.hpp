// Idea:    a Fourier series of the dihedral angle.
// Source:  the torsion of AMBER, CHARMM and GROMACS; cosines of multiples by the addition theorem.
// Cost:    six harmonics, whether they are there or not: less than what the dihedral itself takes.
// Hazards: AMBER's tables may give the barrier of several torsions about a bond together.
// Others:  "opls" and "ryckaert_bellemans" for the conventions of those fields.

#pragma once

#include <cmath>

#include "md/forces/bonded/terms/dihedral.hpp"

namespace sterna::md {
namespace {

/// A Fourier series: a constant, then coefficients of cos(n phi) and of sin(n phi) for n from 1 to
/// 6.
struct FourierSeries {
  static constexpr int harmonics = 6;
  static constexpr int coefficient_count = 1 + 2 * harmonics;

  /// Adds the term amplitude (1 + cos(n phi - phase)).
  static void add(std::span<double> c, double amplitude, int n, double phase) {
    const auto at = static_cast<std::size_t>(n);
    c[0] += amplitude;
    c[at] += amplitude * std::cos(phase);
    c[at + harmonics] += amplitude * std::sin(phase);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const Dihedral<V> dihedral(b);
    const V inverse = dihedral.inverse_product();
    const V cosine = dihedral.cosine_product * inverse, sine = dihedral.sine_product * inverse;
    V cosine_n = cosine, sine_n = sine, energy = c[0], slope{};
    for (int n = 1; n <= harmonics; ++n) {
      if (n > 1) {
        const V next = cosine_n * cosine - sine_n * sine;
        sine_n = sine_n * cosine + cosine_n * sine;
        cosine_n = next;
      }
      const V a = c[n], s = c[n + harmonics];
      energy = energy + a * cosine_n + s * sine_n;
      slope = slope + ElementOf<V>(n) * (s * cosine_n - a * sine_n);
    }
    dihedral.forces(b, slope, f);
    return energy;
  }
};

struct PeriodicTorsion {
  static constexpr std::string_view section = "torsion";
  static constexpr std::string_view name = "periodic";
  static constexpr std::string_view energy_name = "periodic_torsion";
  static constexpr std::string_view sentence =
      "A harmonic of the dihedral angle; several of the same atoms add up.";
  static constexpr std::string_view formula = "amplitude (1 + cos(multiplicity phi - phase))";
  static constexpr std::string_view source = "general";
  static constexpr int atoms = 4;
  static constexpr bool adds_up = true;
  static constexpr BondedParameter parameters[] = {
      {"amplitude", Dimension::energy, any_value, "half of the barrier", 2.0},
      {"multiplicity",
       Dimension::none,
       {.minimum = 1.0, .maximum = 6.0},
       "minima of a full turn, an integer",
       3.0,
       true,
       0.0,
       true},
      {"phase", Dimension::none, of_turns, "angle of a maximum times the multiplicity, in degrees",
       30.0, false, 0.0}};
  static constexpr int coefficient_count = FourierSeries::coefficient_count;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    FourierSeries::add(c, p[0], static_cast<int>(p[1]), radians_per_degree * p[2]);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    return FourierSeries::evaluate(b, c, f);
  }
};

}  // namespace
}  // namespace sterna::md
