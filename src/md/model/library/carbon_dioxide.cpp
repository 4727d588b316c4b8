// Linear models of carbon dioxide with a site at each atom.

#include "md/core/unit_constants.hpp"
#include "md/model/library/model_families.hpp"

namespace sterna::md {
namespace {

using Kind = PublishedSite::Kind;

constexpr double carbon_mass = 12.011, carbon_dioxide_oxygen_mass = 15.999;
constexpr double temperature_at_critical_point = 304.13;
constexpr double density_at_critical_point = 10.62 * unit::mol_per_l;

/// Lennard-Jones sites C, O, O; epsilon/k in K, lengths in angstrom.
std::vector<PublishedSite> atoms(double epsilon_c, double sigma_c, double epsilon_o, double sigma_o,
                                 double bond) {
  const PublishedSite carbon{.kind = Kind::lennard_jones,
                             .mass = carbon_mass,
                             .epsilon = epsilon_c * unit::kelvin,
                             .sigma = sigma_c * unit::angstrom};
  PublishedSite oxygen{.kind = Kind::lennard_jones,
                       .position = {0.0, 0.0, bond * unit::angstrom},
                       .mass = carbon_dioxide_oxygen_mass,
                       .epsilon = epsilon_o * unit::kelvin,
                       .sigma = sigma_o * unit::angstrom};
  PublishedSite other = oxygen;
  other.position = -1.0 * oxygen.position;
  return {carbon, oxygen, other};
}

PublishedModel merker() {
  auto sites = atoms(12.3724, 2.8137, 100.493, 2.9755, 1.2869);
  sites.push_back({.kind = Kind::quadrupole, .moment = 4.0739 * unit::debye * unit::angstrom});
  return {.name = "carbon_dioxide_merker",
          .substance = "carbon dioxide",
          .description =
              "three Lennard-Jones sites and a quadrupole, fitted to vapor-liquid "
              "equilibria",
          .sites = sites,
          .citation = {.key = "Merker2010",
                       .authors = "T. Merker and C. Engin and J. Vrabec and H. Hasse",
                       .title = "Molecular model for carbon dioxide optimized to vapor-liquid "
                                "equilibria",
                       .journal = "J. Chem. Phys.",
                       .volume = "132",
                       .pages = "234512",
                       .year = 2010,
                       .doi = "10.1063/1.3434530"},
          .critical_temperature = temperature_at_critical_point,
          .critical_density = density_at_critical_point};
}

PublishedModel trappe() {
  auto sites = atoms(27.0, 2.80, 79.0, 3.05, 1.16);
  sites.push_back({.kind = Kind::charge, .charge = 0.70});
  sites.push_back({.kind = Kind::charge, .position = sites[1].position, .charge = -0.35});
  sites.push_back({.kind = Kind::charge, .position = sites[2].position, .charge = -0.35});
  return {.name = "carbon_dioxide_trappe",
          .substance = "carbon dioxide",
          .description =
              "TraPPE: three Lennard-Jones sites with charges, fitted to vapor-liquid "
              "equilibria of mixtures",
          .sites = sites,
          .citation = {.key = "Potoff2001",
                       .authors = "J. J. Potoff and J. I. Siepmann",
                       .title = "Vapor-liquid equilibria of mixtures containing alkanes, carbon "
                                "dioxide, and nitrogen",
                       .journal = "AIChE J.",
                       .volume = "47",
                       .pages = "1676-1682",
                       .year = 2001,
                       .doi = "10.1002/aic.690470719"},
          .critical_temperature = temperature_at_critical_point,
          .critical_density = density_at_critical_point};
}

}  // namespace

std::vector<PublishedModel> carbon_dioxide_models() {
  return {merker(), trappe()};
}

}  // namespace sterna::md
