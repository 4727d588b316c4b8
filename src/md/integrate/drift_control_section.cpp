#include "md/integrate/drift_control_section.hpp"
#include "md/input/sections/section.hpp"
#include "md/input/sections/selection_keys.hpp"
#include "md/integrate/check_motion.hpp"
#include "md/integrate/motion_sections.hpp"

namespace sterna::md::section {

InputSection drift_control() {
  InputSection section{
      .schema = {.name = "drift_control",
                 .is_array = true,
                 .tables = tables_of<DriftControlSection>(),
                 .description =
                     "Keeps the common velocity of all molecules, of a component or of a region.",
                 .aliases = {"drift", "DriftCtrl", "momentum"}},
      .keys = {{.name = "velocity",
                .target = target_in_table_of<&DriftControlSection::velocity>,
                .description = "The common velocity to keep: that of the center of mass.",
                .default_text = "[0, 0, 0]",
                .dimension = Dimension::velocity,
                .aliases = {"drift", "target"}}}};
  append(section.keys, selection_keys<DriftControlSection>({"type", "group", "cid"}));
  append(section.keys,
         {{.name = "slabs",
           .target = target_in_table_of<&DriftControlSection::slabs>,
           .description = "Divides the region into slabs across y, each of which is kept at the "
                          "velocity for itself.",
           .range = {.minimum = 1.0, .maximum = 1e4},
           .aliases = {"bins"}},
          {.name = "interval",
           .target = target_in_table_of<&DriftControlSection::interval>,
           .description = "Steps from one correction of the velocities to the next.",
           .range = {.minimum = 1.0, .maximum = 1e9},
           .aliases = {"every", "control"}},
          {.name = "sample_interval",
           .target = target_in_table_of<&DriftControlSection::sample_interval>,
           .description = "Steps from one measurement of the common velocity to the next; a "
                          "correction goes by the mean of those since the last one.",
           .range = {.minimum = 1.0, .maximum = 1e9},
           .aliases = {"sample"}}});
  append(section.keys, step_range_keys<DriftControlSection>());
  section.behind = "freeze";
  section.check = check_drift_control;
  return section;
}

}  // namespace sterna::md::section
