#include "md/input/sections/type_section.hpp"

#include "md/input/sections/section.hpp"

namespace sterna::md::section {

InputSection type() {
  return {
      .schema = {.name = "type",
                 .is_array = true,
                 .tables = tables_in<&Input::types>(),
                 .description = "A type of particle, of which molecules may be made; one such "
                                "section per type. In a start file that numbers its types, the "
                                "first section is type 1. Where a file has `[[component]]`s, too, "
                                "these come behind all types.",
                 .aliases = {"atom", "species", "particle"}},
      .keys = {
          {.name = "name",
           .target = target_in_table<&Input::types, &TypeSection::name>,
           .description = "Name of the type, as start files and trajectories have it.",
           .need = Need::required,
           .aliases = {"symbol", "element", "id"}},
          {.name = "mass",
           .target = target_in_table<&Input::types, &TypeSection::mass>,
           .description = "Mass of a particle; 0: of a `[[molecule.virtual_site]]`.",
           .need = Need::with_real_units,
           .dimension = Dimension::mass,
           .range = {.minimum = 0.0},
           .aliases = {"m"}},
          {.name = "fraction",
           .target = target_in_table<&Input::types, &TypeSection::fraction>,
           .description = "Share of the particles of a lattice or random start that are of this "
                          "type, relative to the other types' shares.",
           .range = not_negative,
           .aliases = {"share", "mole_fraction"}}}};
}

}  // namespace sterna::md::section
