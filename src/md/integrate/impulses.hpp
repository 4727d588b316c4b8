#pragma once

#include <span>

#include "md/core/vector.hpp"

namespace sterna::md {

/// What acts on the local particles in one step beyond its forces, for steps in which forces are
/// left out: forces, and torques where particles rotate. Empty: nothing.
struct Impulses {
  std::span<const Vec3> forces, torques;
};

}  // namespace sterna::md
