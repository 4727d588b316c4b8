// Single Lennard-Jones sites fitted to vapor pressure and saturated liquid density:
// Vrabec, Stoll and Hasse (2001).

#include "md/core/unit_constants.hpp"
#include "md/model/library/model_families.hpp"

namespace sterna::md {
namespace {

/// Sigma in angstrom, epsilon/k in K, mass in u, critical density in mol/l.
PublishedModel sphere(std::string_view name, double sigma, double epsilon, double mass,
                      double critical_temperature, double critical_density) {
  return {.name = name,
          .substance = name,
          .description = "one Lennard-Jones site, fitted to vapor-liquid equilibria",
          .sites = {{.kind = PublishedSite::Kind::lennard_jones,
                     .mass = mass,
                     .epsilon = epsilon * unit::kelvin,
                     .sigma = sigma * unit::angstrom}},
          .citation = vrabec_2001(),
          .critical_temperature = critical_temperature,
          .critical_density = critical_density * unit::mol_per_l};
}

}  // namespace

const Citation& vrabec_2001() {
  static const Citation citation{
      .key = "Vrabec2001",
      .authors = "J. Vrabec and J. Stoll and H. Hasse",
      .title = "A Set of Molecular Models for Symmetric Quadrupolar Fluids",
      .journal = "J. Phys. Chem. B",
      .volume = "105",
      .pages = "12126-12133",
      .year = 2001,
      .doi = "10.1021/jp012542o"};
  return citation;
}

std::vector<PublishedModel> spherical_models() {
  return {
      sphere("neon", 2.8010, 33.921, 20.180, 44.49, 23.88),
      sphere("argon", 3.3952, 116.79, 39.948, 150.69, 13.41),
      sphere("krypton", 3.6274, 162.58, 83.798, 209.48, 10.85),
      sphere("xenon", 3.9011, 227.55, 131.293, 289.73, 8.40),
      sphere("methane", 3.7281, 148.55, 16.043, 190.56, 10.14),
  };
}

}  // namespace sterna::md
