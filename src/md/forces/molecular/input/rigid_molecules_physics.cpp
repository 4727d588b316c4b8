#include "md/forces/molecular/input/rigid_molecules_physics.hpp"

#include "md/forces/molecular/input/check_components.hpp"
#include "md/forces/molecular/input/component_sections.hpp"
#include "md/forces/molecular/input/molecule_advice.hpp"

namespace sterna::md {

PhysicsRow physics::rigid_molecules() {
  return {.name = "rigid molecules",
          .sentence = "rigid molecules of several sites",
          .sections = {section::component, section::component_site},
          .check = check_components,
          .advise = advise_on_components};
}

}  // namespace sterna::md
