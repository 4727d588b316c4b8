#include "md/input/multiple_time_steps_schema.hpp"

namespace sterna::md {

std::vector<KeySchema> multiple_time_steps_keys() {
  const auto section = "multiple_time_steps";
  const Condition moves{"run", "integrator", {"velocity_verlet"}, Severity::warning};
  return {
      {.section = section,
       .name = "pairs",
       .target = [](Input& i, std::size_t) -> Target { return &i.time_steps.pairs; },
       .description =
           "Time steps from one computation of the forces of pairs to the next: of the pair "
           "potential, and of charges in neighboring cells of the multipole method. In the steps "
           "between, the bonded forces of `[[molecule]]`, walls, fields and restraints act alone.",
       .range = {.minimum = 1.0, .maximum = 100.0},
       .condition = moves,
       .aliases = {"middle", "nonbonded", "nonbondedFreq", "medium"}},
      {.section = section,
       .name = "far_field",
       .target = [](Input& i, std::size_t) -> Target { return &i.time_steps.far_field; },
       .description =
           "Time steps from one computation of the far field of the multipole method to the next: "
           "`pairs` or a multiple of it.",
       .default_text = "`pairs`",
       .range = {.minimum = 1.0, .maximum = 100.0},
       .condition = moves,
       .aliases = {"long", "long_range", "fullElectFrequency", "slow"}},
  };
}

}  // namespace sterna::md
