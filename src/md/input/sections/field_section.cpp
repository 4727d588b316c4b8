#include "md/input/sections/field_section.hpp"

#include "md/input/sections/section.hpp"

namespace sterna::md::section {

InputSection field() {
  return {
      .schema = {.name = "field",
                 .is_array = true,
                 .tables = tables_in<&Input::fields>(),
                 .description = "A force that is the same everywhere: a constant one, gravity, or "
                                "that of an electric field.",
                 .aliases = {"external", "external_force", "gravity", "efield", "electric_field"}},
      .keys = {
          {.name = "force",
           .target = target_in_table<&Input::fields, &FieldSection::force>,
           .description = "On each molecule, at its center of mass.",
           .default_text = "none",
           .dimension = Dimension::force},
          {.name = "acceleration",
           .target = target_in_table<&Input::fields, &FieldSection::acceleration>,
           .description = "Of each molecule: gravity.",
           .default_text = "none",
           .dimension = Dimension::acceleration,
           .aliases = {"gravity", "g"}},
          {.name = "electric_field",
           .target = target_in_table<&Input::fields, &FieldSection::electric_field>,
           .description = "Acts on charges and turns dipoles.",
           .default_text = "none",
           .dimension = Dimension::electric_field,
           .aliases = {"electric", "efield"}},
          {.name = "component",
           .target = target_in_table<&Input::fields, &FieldSection::component>,
           .description = "Name of the `[[component]]` or `[[type]]` whose molecules it acts on.",
           .default_text = "all",
           .aliases = {"type", "group"}}}};
}

}  // namespace sterna::md::section
