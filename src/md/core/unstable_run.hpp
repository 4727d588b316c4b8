#pragma once

#include <stdexcept>

namespace sterna::md {

/// The run is unstable: positions or energies have left the range that the forces describe. All
/// ranks throw it together, so that none waits for another that has already thrown.
class UnstableRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace sterna::md
