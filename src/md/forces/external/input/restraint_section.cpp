#include "md/forces/external/input/restraint_section.hpp"

#include "md/forces/external/input/external_sections.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md::section {

// It is long because it is a table, with a row for each key of the section.
InputSection restraint() {
  InputSection section{
      .schema = {.name = "restraint",
                 .is_array = true,
                 .tables = tables_of<RestraintSection>(),
                 .description = "Springs that hold atoms, or the centers of rigid molecules, at "
                                "reference positions: [how](howto/hold-atoms.md).",
                 .aliases = {"restraints", "tether", "spring", "position_restraint", "posres",
                             "position_restraints", "position_constrain"}},
      .keys = {
          {.name = "stiffness",
           .target = target_in_table_of<&RestraintSection::stiffness>,
           .description = "Force per distance from the place.",
           .need = Need::required,
           .dimension = Dimension::stiffness,
           .range = positive,
           .aliases = {"k", "force_constant", "spring_constant"}},
          {.name = "place",
           .target = target_in_table_of<&RestraintSection::place>,
           .description = "One place for all of them, counted from the box's corner; its "
                          "nearest image counts.",
           .default_text = "where each molecule is at the start",
           .dimension = Dimension::length,
           .aliases = {"position", "center"}},
          {.name = "reference_file",
           .target = target_in_table_of<&RestraintSection::reference_file>,
           .description =
               "Path of a file with their places, relative to the folder of the input file: in "
               "a format of start files, or MODYLAS's (`.mdff` with coordinates of `<position "
               "constrain>`, `.posiconst`). Particles are told by their ids. Without `groups`, "
               "`component` and a region, those are held that the file has.",
           .default_text = "where each one is at the start",
           .names_file = true,
           .aliases = {"reference", "positions", "file", "coordinates"}},
          {.name = "reference_scaling",
           .target = target_in_table_of<&RestraintSection::reference_scaling>,
           .description = "What becomes of their places where a `[barostat]` changes the box, "
                          "which needs this key.",
           .default_text = "\"none\"",
           .aliases = {"refcoord_scaling", "scaling", "scale"}},
          {.name = "virial",
           .target = target_in_table_of<&RestraintSection::virial>,
           .description = "Whether their virial counts.",
           .default_text = "\"counted\" with a `[barostat]`, \"ignored\" without",
           .aliases = {"pressure"},
           .if_true = "counted",
           .if_false = "ignored"},
          {.name = "axes",
           .target = target_in_table_of<&RestraintSection::axes>,
           .description =
               "Along which they are held: one axis holds molecules in a plane, two at a line.",
           .aliases = {"axis", "directions"}},
          {.name = "groups",
           .target = target_in_table_of<&RestraintSection::groups>,
           .description = "Names of `[[group]]`s of which they are at the start, of any.",
           .default_text = "all",
           .aliases = {"group", "select", "selection", "selections", "atoms"}},
          {.name = "component",
           .target = target_in_table_of<&RestraintSection::component>,
           .description = "Name of the `[[component]]` or `[[type]]` whose molecules are held.",
           .default_text = "all",
           .aliases = {"type"}},
          {.name = "lower",
           .target = target_in_table_of<&RestraintSection::lower>,
           .description = "Lower corner of the region in which they are at the start, counted "
                          "from the box's corner.",
           .default_text = "no bound",
           .dimension = Dimension::length,
           .aliases = {"from"}},
          {.name = "upper",
           .target = target_in_table_of<&RestraintSection::upper>,
           .description = "Upper corner of that region.",
           .default_text = "no bound",
           .dimension = Dimension::length,
           .aliases = {"to"}}}};
  section.behind = "field";
  return section;
}

}  // namespace sterna::md::section
