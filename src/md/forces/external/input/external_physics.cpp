#include "md/forces/external/input/external_physics.hpp"

#include "md/forces/external/input/check_external.hpp"
#include "md/forces/external/input/external_sections.hpp"

namespace sterna::md {

PhysicsRow physics::external() {
  return {.name = "external",
          .sentence = "walls, fields and springs, which act on each molecule alone",
          .sections = {section::wall, section::field, section::restraint},
          .check = check_external,
          .check_in_box = check_external_in_box};
}

}  // namespace sterna::md
