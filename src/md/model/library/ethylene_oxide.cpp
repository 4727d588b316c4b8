// Ethylene oxide: three Lennard-Jones sites in a plane (CH2, CH2, O) and a point dipole in the
// center of mass, along the axis of symmetry. Masses are whole numbers, because with these the
// origin of the published positions is the center of mass.

#include "md/core/unit_constants.hpp"
#include "md/model/library/model_families.hpp"

namespace sterna::md {

std::vector<PublishedModel> ethylene_oxide_models() {
  using Kind = PublishedSite::Kind;
  constexpr double a = unit::angstrom;
  const PublishedSite oxygen{.kind = Kind::lennard_jones,
                             .position = {0.0, 0.77636 * a, 0.0},
                             .mass = 16.0,
                             .epsilon = 62.126 * unit::kelvin,
                             .sigma = 3.0929 * a};
  const PublishedSite methylene{.kind = Kind::lennard_jones,
                                .position = {0.78000 * a, -0.44364 * a, 0.0},
                                .mass = 14.0,
                                .epsilon = 84.739 * unit::kelvin,
                                .sigma = 3.5266 * a};
  PublishedSite other = methylene;
  other.position.x = -methylene.position.x;
  return {
      {.name = "ethylene_oxide",
       .substance = "ethylene oxide",
       .description = "three Lennard-Jones sites and a dipole, fitted to vapor-liquid "
                      "equilibria",
       .sites = {oxygen,
                 methylene,
                 other,
                 {.kind = Kind::dipole, .axis = {0.0, 1.0, 0.0}, .moment = 2.459 * unit::debye}},
       .citation = {.key = "Eckl2008",
                    .authors = "B. Eckl and J. Vrabec and H. Hasse",
                    .title = "On the application of force fields for predicting a wide variety "
                             "of properties: Ethylene oxide as an example",
                    .journal = "Fluid Phase Equilib.",
                    .volume = "274",
                    .pages = "16-26",
                    .year = 2008},
       .critical_temperature = 468.92,
       .critical_density = 7.17 * unit::mol_per_l}};
}

}  // namespace sterna::md
