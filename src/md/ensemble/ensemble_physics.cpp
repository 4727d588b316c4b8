#include "md/ensemble/ensemble_physics.hpp"

#include "md/ensemble/grand_canonical_section.hpp"
#include "md/ensemble/replica_files.hpp"
#include "md/ensemble/state_sections.hpp"

namespace sterna::md {

PhysicsRow physics::ensemble() {
  return {
      .name = "states",
      .sentence = "states of a run, the replicas that exchange them, and reservoirs of molecules",
      .sections = {section::state, section::state_bias, section::replicas,
                   section::grand_canonical},
      .check = check_states,
      .check_in_box = check_reservoirs_in_box,
      .text_files = {replica_files::set, replica_files::log, replica_files::energies}};
}

}  // namespace sterna::md
