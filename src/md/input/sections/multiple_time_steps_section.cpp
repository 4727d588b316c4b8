#include "md/input/sections/multiple_time_steps_section.hpp"

#include "md/input/integrator_row.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md::section {

InputSection multiple_time_steps() {
  const Condition moves = integrator_is(integrator_rows().names_that(
      [](const IntegratorRow& kind) { return kind.takes_multiple_time_steps; }));
  return {
      .schema = {.name = "multiple_time_steps",
                 .description = "Forces that change slowly are computed in some time steps only, "
                                "and act there the more strongly: reversible multiple time steps, "
                                "r-RESPA. `timestep` in `[run]` is the shortest.",
                 .aliases = {"respa", "mts", "RESPA", "multiple_timestep", "multiple_time_step"}},
      .keys = {{.name = "pairs",
                .target = target_in<&Input::time_steps, &TimeStepsSection::pairs>,
                .description = "Time steps from one computation of the forces of pairs to the "
                               "next: of the pair potential, and of charges in neighboring cells "
                               "of the multipole method. In the steps between, the bonded forces "
                               "of `[[molecule]]`, walls, fields and restraints act alone.",
                .range = {.minimum = 1.0, .maximum = 100.0},
                .condition = moves,
                .aliases = {"middle", "nonbonded", "nonbondedFreq", "medium"}},
               {.name = "far_field",
                .target = target_in<&Input::time_steps, &TimeStepsSection::far_field>,
                .description = "Time steps from one computation of the far field of the multipole "
                               "method to the next: `pairs` or a multiple of it.",
                .default_text = "`pairs`",
                .range = {.minimum = 1.0, .maximum = 100.0},
                .condition = moves,
                .aliases = {"long", "long_range", "fullElectFrequency", "slow"}}}};
}

}  // namespace sterna::md::section
