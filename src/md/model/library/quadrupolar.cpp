// Two Lennard-Jones centers and a point quadrupole along their axis in the middle (2CLJQ), fitted
// to vapor pressure and saturated liquid density: Vrabec, Stoll and Hasse (2001). The mass is
// divided between the two centers.

#include "md/core/unit_constants.hpp"
#include "md/model/library/model_families.hpp"

namespace sterna::md {
namespace {

/// Sigma and elongation in angstrom, epsilon/k in K, quadrupole in debye angstrom, mass in u,
/// critical density in mol/l.
struct Parameters {
  double sigma, epsilon, elongation, quadrupole, mass, critical_temperature, critical_density;
};

PublishedModel two_centers(std::string_view name, std::string_view substance,
                           const Parameters& parameters) {
  const Vec3 half{0.0, 0.0, 0.5 * parameters.elongation * unit::angstrom};
  const PublishedSite center{.kind = PublishedSite::Kind::lennard_jones,
                             .position = half,
                             .mass = 0.5 * parameters.mass,
                             .epsilon = parameters.epsilon * unit::kelvin,
                             .sigma = parameters.sigma * unit::angstrom};
  PublishedSite opposite = center;
  opposite.position = -1.0 * half;
  return {.name = name,
          .substance = substance,
          .description =
              "two Lennard-Jones sites and a quadrupole (2CLJQ), fitted to vapor-liquid "
              "equilibria",
          .sites = {center,
                    opposite,
                    {.kind = PublishedSite::Kind::quadrupole,
                     .moment = parameters.quadrupole * unit::debye * unit::angstrom}},
          .citation = vrabec_2001(),
          .critical_temperature = parameters.critical_temperature,
          .critical_density = parameters.critical_density * unit::mol_per_l};
}

}  // namespace

std::vector<PublishedModel> quadrupolar_models() {
  return {
      two_centers("nitrogen_2cljq", "nitrogen",
                  {3.3211, 34.897, 1.0464, 1.4397, 28.014, 126.19, 11.18}),
      two_centers("oxygen_2cljq", "oxygen",
                  {3.1062, 43.183, 0.9699, 0.8081, 31.998, 154.58, 13.63}),
      two_centers("carbon_dioxide_2cljq", "carbon dioxide",
                  {2.9847, 133.22, 2.4176, 3.7938, 44.009, 304.13, 10.62}),
      two_centers("ethane_2cljq", "ethane", {3.4896, 136.99, 2.3762, 0.8277, 30.070, 305.32, 6.86}),
      two_centers("ethylene_2cljq", "ethylene",
                  {3.7607, 76.950, 1.2695, 4.3310, 28.054, 282.35, 7.64}),
  };
}

}  // namespace sterna::md
