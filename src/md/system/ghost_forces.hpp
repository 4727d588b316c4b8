#pragma once

#include <cstddef>
#include <span>
#include <variant>

#include "md/core/vector.hpp"
#include "md/system/padded_force.hpp"
#include "md/system/single_force.hpp"

namespace sterna::md {

/// Which ghosts get forces that belong to the particles that they are copies of.
enum class GhostForces {
  none,        ///< a pair across a border is computed on both sides, each for its own particle
  half_shell,  ///< it is computed on one side, whose half shell (Halo::half_shell) has the ghost
  full_shell,  ///< all
};

/// Such forces of all particles, in the order of the store, so that ghosts come behind the local
/// ones. A particle may have several kinds, one for each of its sites. Those of one kind are side by
/// side, and all kinds have the same number.
struct CollectedForces {
  std::variant<std::span<PaddedForce>, std::span<SingleForce>, std::span<Vec3>> forces;
  std::size_t kinds = 1;
  double unit = 1.0;  ///< a force is its number times this
};

}  // namespace sterna::md
