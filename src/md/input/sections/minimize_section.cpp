#include "md/input/sections/minimize_section.hpp"

#include "md/input/sections/section.hpp"

namespace sterna::md::section {

InputSection minimize() {
  return {.schema = {.name = "minimize",
                     .description = "When a minimization has come far enough.",
                     .aliases = {"minimise", "minimization"},
                     .keeps_state = true},
          .keys = {{.name = "force_tolerance",
                    .target = target_in<&Input::minimize, &MinimizeSection::force_tolerance>,
                    .description =
                        "Done when no component of any force is larger. 0: all steps are taken.",
                    .dimension = Dimension::force,
                    .range = not_negative,
                    .condition = minimizes(true),
                    .aliases = {"ftol", "emtol", "tolerance"}},
                   {.name = "maximum_displacement",
                    .target = target_in<&Input::minimize, &MinimizeSection::maximum_displacement>,
                    .description =
                        "No particle moves farther in one step. 0: a tenth of the smallest sigma.",
                    .default_text = "a tenth of the smallest sigma",
                    .dimension = Dimension::length,
                    .range = not_negative,
                    .condition = minimizes(true),
                    .aliases = {"dmax", "max_step"}}}};
}

}  // namespace sterna::md::section
