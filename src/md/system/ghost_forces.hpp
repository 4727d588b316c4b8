#pragma once

#include <cstddef>
#include <span>
#include <variant>

#include "md/core/vector.hpp"
#include "md/system/padded_force.hpp"
#include "md/system/single_force.hpp"

namespace sterna::md {

/// The ghosts whose forces are returned to the original particles.
enum class GhostForces {
  none,        ///< none: both ranks compute a pair across a border, each for its own particle
  half_shell,  ///< ghosts in the half shell (Halo::half_shell): one rank computes the pair
  full_shell,  ///< all ghosts
};

/// Forces on local particles and ghosts that are to be returned, in the order of the store. A
/// particle may have several kinds of forces, one for each of its sites. The forces of one kind are
/// contiguous, and all kinds have the same length.
struct CollectedForces {
  std::variant<std::span<PaddedForce>, std::span<SingleForce>, std::span<Vec3>> forces;
  std::size_t kinds = 1;
  double unit = 1.0;  ///< a force is the stored number times `unit`
  /// Whether they are only those of the particles that turn, in the order of these.
  bool are_of_rotors = false;
};

}  // namespace sterna::md
