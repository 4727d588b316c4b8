#include "md/input/sections/freeze_section.hpp"

#include "md/input/sections/section.hpp"
#include "md/integrate/check_motion.hpp"
#include "md/integrate/motion_sections.hpp"

namespace sterna::md::section {

InputSection freeze() {
  InputSection section{
      .schema = {.name = "freeze",
                 .is_array = true,
                 .tables = tables_in<&Input::freezes>(),
                 .description = "Molecules that do not feel forces: they rest, or move all alike.",
                 .aliases = {"frozen", "fixed", "move", "moving"}},
      .keys = {{.name = "component",
                .target = target_in_table<&Input::freezes, &FreezeSection::component>,
                .description =
                    "Name of the `[[component]]` or `[[type]]` whose molecules do not feel forces.",
                .need = Need::required,
                .aliases = {"type", "group"}},
               {.name = "velocity",
                .target = target_in_table<&Input::freezes, &FreezeSection::velocity>,
                .description = "At which they move.",
                .default_text = "[0, 0, 0]: they rest",
                .dimension = Dimension::velocity}}};
  section.behind = "restraint";
  section.check = check_freeze;
  return section;
}

}  // namespace sterna::md::section
