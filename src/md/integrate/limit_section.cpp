#include "md/integrate/limit_section.hpp"
#include "md/input/sections/section.hpp"
#include "md/input/sections/selection_keys.hpp"
#include "md/integrate/check_motion.hpp"
#include "md/integrate/motion_sections.hpp"

namespace sterna::md::section {

InputSection limit() {
  InputSection section{
      .schema = {.name = "limit",
                 .is_array = true,
                 .tables = tables_of<LimitSection>(),
                 .description =
                     "Shortens forces and velocities that are longer than this, so that a start "
                     "with overlaps survives. Energy and momentum are not conserved meanwhile.",
                 .aliases = {"limits", "MaxCheck", "cap"}},
      .keys = {{.name = "force",
                .target = target_in_table_of<&LimitSection::force>,
                .description = "The longest force on a molecule. It keeps its direction.",
                .default_text = "no limit",
                .dimension = Dimension::force,
                .range = not_negative,
                .aliases = {"Fmax", "maximum_force", "fmax"}},
               {.name = "velocity",
                .target = target_in_table_of<&LimitSection::velocity>,
                .description = "The longest velocity of a molecule.",
                .default_text = "no limit",
                .dimension = Dimension::velocity,
                .range = not_negative,
                .aliases = {"vmax", "speed", "maximum_velocity"}},
               {.name = "torque",
                .target = target_in_table_of<&LimitSection::torque>,
                .description = "The longest torque on a molecule.",
                .default_text = "no limit",
                .dimension = Dimension::energy,
                .range = not_negative,
                .aliases = {"Mmax"}},
               {.name = "angular_momentum",
                .target = target_in_table_of<&LimitSection::angular_momentum>,
                .description = "The longest angular momentum of a molecule.",
                .default_text = "no limit",
                .dimension = Dimension::angular_momentum,
                .range = not_negative,
                .aliases = {"Lmax"}},
               {.name = "overlaps_only",
                .target = target_in_table_of<&LimitSection::overlaps_only>,
                .description = "Whether velocities are shortened only where the force is beyond "
                               "its limit, and angular momenta only where the torque is."}}};
  append(section.keys, selection_keys<LimitSection>({"type", "group", "cid"}));
  append(section.keys, {{.name = "outside",
                         .target = target_in_table_of<&LimitSection::outside>,
                         .description = "Whether it acts outside of the region, not inside."},
                        {.name = "interval",
                         .target = target_in_table_of<&LimitSection::interval>,
                         .description = "Steps from one look at forces and velocities to the next.",
                         .range = {.minimum = 1.0, .maximum = 1e9},
                         .aliases = {"every", "frequency"}}});
  append(section.keys, step_range_keys<LimitSection>());
  section.behind = "drift_control";
  section.check = check_limit;
  return section;
}

}  // namespace sterna::md::section
