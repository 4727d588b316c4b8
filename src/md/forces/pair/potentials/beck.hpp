// Idea:    an exponential repulsion that becomes steeper at short distances, and a dispersion that
//          stays finite there: for gases of helium.
// Source:  Beck, Mol. Phys. 14, 311 (1968); LAMMPS, pair_style beck.
// Cost:    an exponential and a division.
// Hazards: finite at r = 0, so particles under high pressure pass through each other.
// Others:  "buckingham", if pairs never come close.

#pragma once

#include <cmath>

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct Beck {
  static constexpr std::string_view name = "beck";
  static constexpr std::string_view sentence =
      "Beck: exponential repulsion and damped dispersion; helium.";
  static constexpr std::string_view formula =
      "amplitude exp(-alpha r - (r/steep_length)^6) - c6/(r^2 + core^2)^3 "
      "(1 + (quadrupole_length^2 + 3 core^2)/(r^2 + core^2)), without (r/steep_length)^6 where "
      "that "
      "is not given";
  static constexpr std::string_view source = "Beck, Mol. Phys. 14, 311 (1968)";
  static constexpr PairParameter parameters[] = {
      {"amplitude", Dimension::energy, number_from_zero, "of the repulsion", 2000.0},
      {"alpha", Dimension::inverse_length, number_from_zero, "in whose inverse it falls to 1/e",
       6.0},
      {"c6", Dimension::energy_length_6, any_number, "of the dispersion", 1.0, false, 0.0},
      {"core", Dimension::length, number_from_zero, "within which dispersion stays finite", 0.3,
       false, 0.0},
      {"steep_length", Dimension::length, number_from_zero, "of the steeper repulsion; 0: none",
       1.8, false, 0.0},
      {"quadrupole_length", Dimension::length, number_from_zero,
       "of the next order of dispersion; 1.6459 angstrom in the paper", 0.5, false, 0.0}};
  static constexpr int coefficient_count = 6;
  static constexpr bool finite_at_zero = true;

  static std::string_view contradiction(std::span<const double> p) {
    return p[2] == 0.0 || p[3] > 0.0 ? "" : "\"core\" of dispersion must be greater than 0";
  }
  static void coefficients(std::span<const double> p, double, std::span<double> c) {
    c[0] = p[0];
    c[1] = p[1];
    c[2] = p[2];
    c[3] = p[3] * p[3];
    c[4] = p[4] > 0.0 ? std::pow(p[4], -6) : 0.0;
    c[5] = p[5] * p[5] + 3.0 * p[3] * p[3];
  }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V steep = c[4] * pair.squared * pair.squared * pair.squared;
    const V repulsion = c[0] * bounded_exponential(-(c[1] * pair.distance) - steep);
    const V inverse = ElementOf<V>(1) / (pair.squared + c[3]);
    const V sixth = c[2] * inverse * inverse * inverse, eighth = sixth * c[5] * inverse;
    return {repulsion - sixth - eighth,
            repulsion * (c[1] * pair.inverse + 6 * steep * pair.inverse_squared) -
                (6 * sixth + 8 * eighth) * inverse};
  }
};

}  // namespace
}  // namespace sterna::md
