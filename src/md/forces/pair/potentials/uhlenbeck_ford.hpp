// Idea:    a fluid whose virial coefficients and free energy are known to high accuracy: a
//          reference for free energies of liquids.
// Source:  Paula Leite, Freitas, Azevedo and de Koning, J. Chem. Phys. 145, 194101 (2016).
// Cost:    an exponential, a logarithm and a division.
// Hazards: the repulsion grows only logarithmically, so particles under high pressure pass through
//          each other.
// Others:  none.

#pragma once

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {
namespace {

struct UhlenbeckFord {
  static constexpr std::string_view name = "uhlenbeck_ford";
  static constexpr std::string_view sentence =
      "Uhlenbeck and Ford: the reference of free energies of liquids (LAMMPS: ufm).";
  static constexpr std::string_view formula = "-epsilon ln(1 - exp(-r^2/sigma^2))";
  static constexpr std::string_view source =
      "Paula Leite, Freitas, Azevedo and de Koning, J. Chem. Phys. 145, 194101 (2016)";
  static constexpr PairParameter parameters[] = {
      {"epsilon", Dimension::energy, number_from_zero,
       "strength, p kT in the papers on free energies", 2.0},
      {"sigma", Dimension::length, positive_number, "in which it falls", 0.8}};
  static constexpr int coefficient_count = 3;

  static void coefficients(std::span<const double> p, double, std::span<double> c) {
    c[0] = p[0];
    c[1] = 1.0 / (p[1] * p[1]);
    c[2] = 2.0 * p[0] / (p[1] * p[1]);
  }
  static PairScale scale(std::span<const double> p, double) { return {p[1], p[0]}; }

  template <class V>
  [[gnu::always_inline]] static PairValue<V> evaluate(const PairDistance<V>& pair, const V* c) {
    const V bell = bounded_exponential(-(c[1] * pair.squared));
    const V rest = ElementOf<V>(1) - bell;
    return {-(c[0] * logarithm(rest)), c[2] * bell / rest};
  }
};

}  // namespace
}  // namespace sterna::md
