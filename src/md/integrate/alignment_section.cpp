#include "md/integrate/alignment_section.hpp"
#include "md/input/sections/section.hpp"
#include "md/integrate/check_motion.hpp"
#include "md/integrate/motion_sections.hpp"

namespace sterna::md::section {

InputSection alignment() {
  return {
      .schema = {.name = "alignment",
                 .description =
                     "Brings the center of mass back to the middle of the box, so that a droplet "
                     "or film stays where it is looked at. Paths of molecules contain the shifts.",
                 .aliases = {"COMaligner", "recenter", "center"}},
      .keys = {{.name = "interval",
                .target = option<&AlignmentSection::interval>,
                .description =
                    "Steps from one alignment to the next, each of which rebuilds neighbor lists.",
                .need = Need::required,
                .range = {.minimum = 0.0, .maximum = 1e9},
                .aliases = {"every"}},
               {.name = "axes",
                .target = option<&AlignmentSection::axes>,
                .description = "Along which molecules are moved.",
                .aliases = {"axis", "directions"}},
               {.name = "part",
                .target = option<&AlignmentSection::part>,
                .description = "How much of the way to the middle of the box is gone at a time; at "
                               "most the cutoff.",
                .range = {.minimum = 0.0, .maximum = 1.0, .exclusive_minimum = true},
                .aliases = {"correctionFactor", "factor"}}},
      .behind = "limit",
      .check = check_alignment};
}

}  // namespace sterna::md::section
