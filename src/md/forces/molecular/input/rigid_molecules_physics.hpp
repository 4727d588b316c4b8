#pragma once

#include "md/input/physics_row.hpp"

namespace sterna::md::physics {

/// Rigid molecules: [[component]]s.
PhysicsRow rigid_molecules();

}  // namespace sterna::md::physics
