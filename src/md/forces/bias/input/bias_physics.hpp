#pragma once

#include "md/input/physics_row.hpp"

namespace sterna::md::physics {

/// Collective variables and biases on them.
PhysicsRow bias();

}  // namespace sterna::md::physics
