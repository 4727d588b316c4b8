#include "md/input/sections/restraint_section.hpp"

#include "md/input/sections/section.hpp"

namespace sterna::md::section {

InputSection restraint() {
  return {.schema = {.name = "restraint",
                     .is_array = true,
                     .tables = tables_in<&Input::restraints>(),
                     .description = "Springs that hold molecules at their places.",
                     .aliases = {"restraints", "tether", "spring", "position_restraint"}},
          .keys = {
              {.name = "stiffness",
               .target = target_in_table<&Input::restraints, &RestraintSection::stiffness>,
               .description = "Force per distance from the place.",
               .need = Need::required,
               .dimension = Dimension::stiffness,
               .range = positive,
               .aliases = {"k", "force_constant", "spring_constant"}},
              {.name = "place",
               .target = target_in_table<&Input::restraints, &RestraintSection::place>,
               .description = "One place for all of them, counted from the box's corner; its "
                              "nearest image counts.",
               .default_text = "where each molecule is at the start",
               .dimension = Dimension::length,
               .aliases = {"position", "center"}},
              {.name = "axes",
               .target = target_in_table<&Input::restraints, &RestraintSection::axes>,
               .description =
                   "Along which they are held: one axis holds molecules in a plane, two at a line.",
               .aliases = {"axis", "directions"}},
              {.name = "component",
               .target = target_in_table<&Input::restraints, &RestraintSection::component>,
               .description = "Name of the `[[component]]` or `[[type]]` whose molecules are held.",
               .default_text = "all",
               .aliases = {"type", "group"}},
              {.name = "lower",
               .target = target_in_table<&Input::restraints, &RestraintSection::lower>,
               .description = "Lower corner of the region in which they are at the start, counted "
                              "from the box's corner.",
               .default_text = "no bound",
               .dimension = Dimension::length,
               .aliases = {"from"}},
              {.name = "upper",
               .target = target_in_table<&Input::restraints, &RestraintSection::upper>,
               .description = "Upper corner of that region.",
               .default_text = "no bound",
               .dimension = Dimension::length,
               .aliases = {"to"}}}};
}

}  // namespace sterna::md::section
