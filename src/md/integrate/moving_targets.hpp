#pragma once

namespace sterna::md {

/// Whether temperature and pressure of a run are set while it goes on, because it is a replica that
/// takes on other states. Whoever runs replicas writes this into their inputs (`Input::section`).
struct MovingTargets {
  bool by_states = false;
  int first_state = -1;  ///< the state in which the replica begins
};

}  // namespace sterna::md
