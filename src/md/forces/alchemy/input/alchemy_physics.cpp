#include "md/forces/alchemy/input/alchemy_physics.hpp"

#include "md/forces/alchemy/input/alchemy_section.hpp"

namespace sterna::md {

PhysicsRow physics::alchemy() {
  return {.name = "alchemy",
          .sentence = "molecules whose interactions are switched off, state by state",
          .sections = {section::alchemy},
          .check = check_alchemy,
          .check_in_box = check_alchemy_in_box,
          .text_files = {".dhdl.xvg"}};
}

}  // namespace sterna::md
