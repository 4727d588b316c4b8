#include "md/forces/coulomb/input/electrostatics_physics.hpp"

#include "md/forces/coulomb/input/check_electrostatics.hpp"
#include "md/forces/coulomb/input/electrostatics_advice.hpp"
#include "md/forces/coulomb/input/electrostatics_keys.hpp"

namespace sterna::md {

PhysicsRow physics::electrostatics() {
  return {.name = "electrostatics",
          .sentence = "forces of charges, at any distance or within a cutoff",
          .sections = {section::electrostatics},
          .keys = keys_of_charges,
          .check = check_electrostatics,
          .check_in_box = check_charges_in_box,
          .advise = advise_on_charges};
}

}  // namespace sterna::md
