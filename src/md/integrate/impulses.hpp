#pragma once

#include <span>

#include "md/core/vector.hpp"

namespace sterna::md {

/// Forces, and torques if particles rotate, that act on the local particles in one step in addition
/// to the step's forces, because multiple time steps leave some forces out. Empty: none.
struct Impulses {
  std::span<const Vec3> forces, torques;
};

}  // namespace sterna::md
