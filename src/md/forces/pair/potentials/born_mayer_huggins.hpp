// Idea:    exponential repulsion at the sum of two ionic radii, dispersion of dipoles and of
//          quadrupoles; types have charges in addition.
// Source:  Fumi and Tosi, J. Phys. Chem. Solids 25, 31 (1964).
// Cost:    one exponential.
// Hazards: like Buckingham's potential it falls without bound at short distances.
// Others:  "buckingham", if there is no c8.

#pragma once

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct BornMayerHuggins {
  static constexpr std::string_view name = "born_mayer_huggins";
  static constexpr std::string_view sentence =
      "Born, Mayer and Huggins: alkali halides and their melts, with [electrostatics].";
  static constexpr std::string_view formula = "amplitude exp((sigma - r)/rho) - c6/r^6 - c8/r^8";
  static constexpr std::string_view source =
      "Fumi and Tosi, J. Phys. Chem. Solids 25, 31 (1964); LAMMPS has the last term with the "
      "other sign";
  static constexpr PairParameter parameters[] = {
      {"amplitude", Dimension::energy, number_from_zero, "of the repulsion at r = sigma", 1.0},
      {"sigma", Dimension::length, number_from_zero, "sum of the radii of the two ions", 1.1},
      {"rho", Dimension::length, positive_number, "in which the repulsion falls to 1/e", 0.15},
      {"c6", Dimension::energy_length_6, any_number, "of the dispersion of dipoles", 0.5, false,
       0.0},
      {"c8", Dimension::energy_length_8, any_number, "of the dispersion of quadrupoles", 0.3, false,
       0.0}};
  static constexpr int coefficient_count = 5;

  static void coefficients(std::span<const double> p, double, std::span<double> c) {
    c[0] = p[0];
    c[1] = p[1] / p[2];
    c[2] = 1.0 / p[2];
    c[3] = p[3];
    c[4] = p[4];
  }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V inverse4 = pair.inverse_squared * pair.inverse_squared;
    const V repulsion = c[0] * bounded_exponential(c[1] - c[2] * pair.distance);
    const V sixth = c[3] * inverse4 * pair.inverse_squared, eighth = c[4] * inverse4 * inverse4;
    return {repulsion - sixth - eighth,
            c[2] * repulsion * pair.inverse - (6 * sixth + 8 * eighth) * pair.inverse_squared};
  }
};

}  // namespace
}  // namespace sterna::md
