#pragma once

#include "md/input/physics_row.hpp"

namespace sterna::md::physics {

/// States and replicas.
PhysicsRow ensemble();

}  // namespace sterna::md::physics
