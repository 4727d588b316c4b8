#pragma once

#include <stdexcept>

namespace sterna::md {

/// The positions or energies of a run have left all that its forces describe. It comes on all ranks
/// together, so that none waits for one that has thrown.
class UnstableRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace sterna::md
