// Idea:    the potential of mean force of an angle whose distribution is a sum of up to three
//          Gaussians.
// Source:  angle_style gaussian of LAMMPS.
// Cost:    three exponentials, a logarithm and an arc tangent.
// Hazards: it is valid at one temperature. If the atoms are in line, the energy has an edge, and
//          the force is 0.
// Others:  "tabulated".

#pragma once

#include "md/forces/bonded/terms/bend.hpp"
#include "md/forces/bonded/terms/gaussians.hpp"

namespace sterna::md {
namespace {

struct GaussianAngle {
  static constexpr std::string_view section = "angle";
  static constexpr std::string_view name = "gaussian";
  static constexpr std::string_view energy_name = "gaussian_angle";
  static constexpr std::string_view sentence =
      "The potential of mean force of an angle distributed as up to three Gaussian curves.";
  static constexpr std::string_view formula =
      "-thermal_energy ln(g1 + g2 + g3); g = area/(width sqrt(pi/2)) exp(-2 (theta - "
      "center)^2/width^2)";
  static constexpr std::string_view source =
      "Milano, Goudeau and Mueller-Plathe, J. Polym. Sci. B 43, 871 (2005)";
  static constexpr int atoms = 3;
  static constexpr BondedParameter parameters[] = {
      {"thermal_energy", Dimension::energy, above_zero, "Boltzmann's constant times temperature",
       2.5},
      {"area1", Dimension::none, above_zero, "of the first curve, in degrees", 20.0},
      {"width1", Dimension::none, above_zero,
       "of the first curve, twice its standard deviation, in degrees", 18.0},
      {"center1", Dimension::none, any_value, "of the first curve, in degrees", 100.0},
      {"area2", Dimension::none, from_zero, "of the second curve, in degrees; 0: there is none",
       14.0, false, 0.0},
      {"width2", Dimension::none, from_zero, "of the second curve, in degrees", 25.0, false, 0.0},
      {"center2", Dimension::none, any_value, "of the second curve, in degrees", 130.0, false, 0.0},
      {"area3", Dimension::none, from_zero, "of the third curve, in degrees; 0: there is none", 9.0,
       false, 0.0},
      {"width3", Dimension::none, from_zero, "of the third curve, in degrees", 15.0, false, 0.0},
      {"center3", Dimension::none, any_value, "of the third curve, in degrees", 85.0, false, 0.0}};
  static constexpr std::string_view contradiction(std::span<const double> p) {
    return Gaussians::problem_of(p);
  }
  static constexpr int coefficient_count = Gaussians::coefficient_count;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    Gaussians::coefficients(p, radians_per_degree, c);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const Bend<V> bend(b);
    V slope;
    const V energy = Gaussians::evaluate(bend.angle, c, slope);
    bend.set_forces(b, slope, f);
    return energy;
  }
};

}  // namespace
}  // namespace sterna::md
