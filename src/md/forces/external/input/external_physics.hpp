#pragma once

#include "md/input/physics_row.hpp"

namespace sterna::md::physics {

/// [[wall]]s, [[field]]s and [[restraint]]s.
PhysicsRow external();

}  // namespace sterna::md::physics
