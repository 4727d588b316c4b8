#pragma once

#include <optional>

#include "md/forces/state_parameters.hpp"

namespace sterna::md {

/// What distinguishes the states of a run. What a state does not give stays as it is.
struct RunState {
  int number = -1;                              ///< in the log; below 0: not there
  std::optional<double> temperature, pressure;  ///< in internal units
  StateParameters parameters;                   ///< of force terms
};

}  // namespace sterna::md
