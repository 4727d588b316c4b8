// Idea:    the potential of mean force of a bond whose length has a distribution that is a sum of
//          up to three Gaussians.
// Source:  bond_style gaussian of LAMMPS.
// Cost:    three exponentials and a logarithm.
// Hazards: it is valid at one temperature.
// Others:  "tabulated".

#pragma once

#include "md/forces/bonded/terms/gaussians.hpp"

namespace sterna::md {
namespace {

struct GaussianBond {
  static constexpr std::string_view section = "bond";
  static constexpr std::string_view name = "gaussian";
  static constexpr std::string_view energy_name = "gaussian_bond";
  static constexpr std::string_view sentence =
      "The potential of mean force of a length distributed as up to three Gaussian curves.";
  static constexpr std::string_view formula =
      "-thermal_energy ln(g1 + g2 + g3); g = area/(width sqrt(pi/2)) exp(-2 (r - "
      "center)^2/width^2)";
  static constexpr std::string_view source =
      "Milano, Goudeau and Mueller-Plathe, J. Polym. Sci. B 43, 871 (2005)";
  static constexpr int atoms = 2;
  static constexpr BondedParameter parameters[] = {
      {"thermal_energy", Dimension::energy, above_zero, "Boltzmann's constant times temperature",
       2.5},
      {"area1", Dimension::length, above_zero, "of the first curve", 0.5},
      {"width1", Dimension::length, above_zero, "of the first curve, twice its standard deviation",
       0.4},
      {"center1", Dimension::length, any_value, "of the first curve", 1.0},
      {"area2", Dimension::length, from_zero, "of the second curve; 0: there is none", 0.3, false,
       0.0},
      {"width2", Dimension::length, from_zero, "of the second curve", 0.6, false, 0.0},
      {"center2", Dimension::length, any_value, "of the second curve", 1.5, false, 0.0},
      {"area3", Dimension::length, from_zero, "of the third curve; 0: there is none", 0.2, false,
       0.0},
      {"width3", Dimension::length, from_zero, "of the third curve", 0.5, false, 0.0},
      {"center3", Dimension::length, any_value, "of the third curve", 1.2, false, 0.0}};
  static constexpr std::string_view contradiction(std::span<const double> p) {
    return Gaussians::problem_of(p);
  }
  static constexpr int coefficient_count = Gaussians::coefficient_count;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    Gaussians::coefficients(p, 1.0, c);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const V r = square_root(dot(b[0], b[0]));
    V slope;
    const V energy = Gaussians::evaluate(r, c, slope);
    f[0] = b[0] * (-slope / not_zero(r));
    return energy;
  }
};

}  // namespace
}  // namespace sterna::md
