#pragma once

#include "md/ensemble/run_state.hpp"

namespace sterna::md {

/// The state that a run has now, in internal units.
struct PresentState : RunState {
  bool is_set = false;  ///< it may differ from that of the input
};

}  // namespace sterna::md
