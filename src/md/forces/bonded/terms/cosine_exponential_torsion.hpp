// Idea:    a well of any width in the cosine of a dihedral angle.
// Source:  dihedral_style cosine/shift/exp of LAMMPS.
// Cost:    that of the dihedral and an exponential.
// Hazards: none besides those of a dihedral.
// Others:  "periodic".

#pragma once

#include "md/forces/bonded/terms/cosine_exponential.hpp"
#include "md/forces/bonded/terms/dihedral.hpp"

namespace sterna::md {
namespace {

struct CosineExponentialTorsion {
  static constexpr std::string_view section = "torsion";
  static constexpr std::string_view name = "cosine_exponential";
  static constexpr std::string_view energy_name = "cosine_exponential_torsion";
  static constexpr std::string_view sentence =
      "A well of any width in the cosine of the dihedral angle.";
  static constexpr std::string_view formula =
      "depth (1 - exp(steepness (1 + cos(phi - phi0))/2)) / (exp(steepness) - 1)";
  static constexpr std::string_view source = "LAMMPS, dihedral_style cosine/shift/exp";
  static constexpr int atoms = 4;
  static constexpr BondedParameter parameters[] = {
      {"depth", Dimension::energy, any_value, "of the well, which is below 0", 8.0},
      {"phi0", Dimension::none, of_turns, "dihedral angle at rest, in degrees", 95.0},
      {"steepness", Dimension::none, CosineExponential::of_steepness,
       "the larger, the narrower the well; not 0", 2.0}};
  static constexpr std::string_view contradiction(std::span<const double> p) {
    return CosineExponential::problem_of(p[2]);
  }
  static constexpr int coefficient_count = CosineExponential::coefficient_count;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    CosineExponential::coefficients(p[0], radians_per_degree * p[1], p[2], c);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const Dihedral<V> dihedral(b);
    const V inverse = dihedral.inverse_product();
    const V cosine = dihedral.cosine_product * inverse, sine = dihedral.sine_product * inverse;
    const auto value = CosineExponential::evaluate(cosine, sine, c);
    dihedral.forces(b, value.over_sine * cosine - value.over_cosine * sine, f);
    return value.energy;
  }
};

}  // namespace
}  // namespace sterna::md
