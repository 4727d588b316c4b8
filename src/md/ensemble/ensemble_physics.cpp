#include "md/ensemble/ensemble_physics.hpp"

#include "md/ensemble/replica_files.hpp"
#include "md/ensemble/state_sections.hpp"

namespace sterna::md {

PhysicsRow physics::ensemble() {
  return {.name = "states",
          .sentence = "states of a run, and the replicas that exchange them",
          .sections = {section::state, section::state_bias, section::replicas},
          .check = check_states,
          .text_files = {replica_files::set, replica_files::log, replica_files::energies}};
}

}  // namespace sterna::md
