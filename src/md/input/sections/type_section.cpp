#include "md/input/sections/type_section.hpp"

#include "md/input/pair_potential_input.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md::section {
namespace {

/// Whether each pair of a type has its own potential, so that the type needs no parameters.
bool has_own_potentials(const Input& input, std::size_t type) {
  return !type_is_mixed(input, type);
}

}  // namespace

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
          {.name = "epsilon",
           .target = target_in_table<&Input::types, &TypeSection::epsilon>,
           .description = "Depth of the potential's well; a temperature such as \"119.8 K\" is "
                          "taken times Boltzmann's constant. 0: no interaction. Not needed where "
                          "every pair of the type has a `[[pair]]` with a potential.",
           .need = Need::with_real_units,
           .dimension = Dimension::energy,
           .range = not_negative,
           .condition = potential_is(InteractionPotential::lennard_jones),
           .unneeded = has_own_potentials,
           .aliases = {"eps"}},
          {.name = "sigma",
           .target = target_in_table<&Input::types, &TypeSection::sigma>,
           .description = "Distance at which the potential is zero. As epsilon it is not needed "
                          "where every pair of the type has a potential.",
           .need = Need::with_real_units,
           .dimension = Dimension::length,
           .range = positive,
           .condition = potential_is(InteractionPotential::lennard_jones),
           .unneeded = has_own_potentials,
           .aliases = {"sig", "diameter"}},
          {.name = "fraction",
           .target = target_in_table<&Input::types, &TypeSection::fraction>,
           .description = "Share of the particles of a lattice or random start that are of this "
                          "type, relative to the other types' shares.",
           .range = not_negative,
           .aliases = {"share", "mole_fraction"}}}};
}

}  // namespace sterna::md::section
