// Nitrogen of the TraPPE force field: two Lennard-Jones sites, three charges.

#include "md/core/unit_constants.hpp"
#include "md/model/library/model_families.hpp"

namespace sterna::md {

std::vector<PublishedModel> nitrogen_models() {
  using Kind = PublishedSite::Kind;
  const Vec3 half{0.0, 0.0, 0.5 * 1.10 * unit::angstrom};
  std::vector<PublishedSite> sites;
  for (const Vec3& position : {half, -1.0 * half}) {
    sites.push_back({.kind = Kind::lennard_jones,
                     .position = position,
                     .mass = 14.007,
                     .epsilon = 36.0 * unit::kelvin,
                     .sigma = 3.31 * unit::angstrom});
  }
  sites.push_back({.kind = Kind::charge, .position = half, .charge = -0.482});
  sites.push_back({.kind = Kind::charge, .position = -1.0 * half, .charge = -0.482});
  sites.push_back({.kind = Kind::charge, .charge = 0.964});
  return {{.name = "nitrogen_trappe",
           .substance = "nitrogen",
           .description = "TraPPE: two Lennard-Jones sites, three charges, fitted to vapor-liquid "
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
           .critical_temperature = 126.19,
           .critical_density = 11.18 * unit::mol_per_l}};
}

}  // namespace sterna::md
