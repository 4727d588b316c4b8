#include "md/forces/external/input/field_section.hpp"

#include "md/forces/external/input/external_sections.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md::section {

InputSection field() {
  InputSection section{
      .schema = {.name = "field",
                 .is_array = true,
                 .tables = tables_of<FieldSection>(),
                 .description = "A force that is the same everywhere: a constant one, gravity, or "
                                "that of an electric field.",
                 .aliases = {"external", "external_force", "gravity", "efield", "electric_field"}},
      .keys = {
          {.name = "force",
           .target = target_in_table_of<&FieldSection::force>,
           .description = "On each molecule, at its center of mass.",
           .default_text = "none",
           .dimension = Dimension::force},
          {.name = "acceleration",
           .target = target_in_table_of<&FieldSection::acceleration>,
           .description = "Of each molecule: gravity.",
           .default_text = "none",
           .dimension = Dimension::acceleration,
           .aliases = {"gravity", "g"}},
          {.name = "electric_field",
           .target = target_in_table_of<&FieldSection::electric_field>,
           .description = "Acts on charges and turns dipoles.",
           .default_text = "none",
           .dimension = Dimension::electric_field,
           .aliases = {"electric", "efield"}},
          {.name = "component",
           .target = target_in_table_of<&FieldSection::component>,
           .description = "Name of the `[[component]]` or `[[type]]` whose molecules it acts on.",
           .default_text = "all",
           .aliases = {"type", "group"}}}};
  section.behind = "wall";
  return section;
}

}  // namespace sterna::md::section
