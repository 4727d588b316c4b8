#include "md/forces/alchemy/input/alchemy_physics.hpp"

#include "md/forces/alchemy/input/check_alchemy.hpp"
#include "md/forces/alchemy/input/mutation_sections.hpp"

namespace sterna::md {

namespace {

void check_alchemical(Input& input, bool look_at_files, const IsGood& is_good,
                      const Report& report) {
  check_alchemy(input, look_at_files, is_good, report);
  check_mutations(input, look_at_files, is_good, report);
}

}  // namespace

PhysicsRow physics::alchemy() {
  return {.name = "alchemy",
          .sentence = "molecules whose interactions are switched off, state by state",
          .sections = {section::alchemy, section::mutation, section::mutated_term,
                       section::mutated_constraint, section::mutated_pair},
          .check = check_alchemical,
          .check_in_box = check_alchemy_in_box,
          .text_files = {".dhdl.xvg"}};
}

}  // namespace sterna::md
