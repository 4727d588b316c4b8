#pragma once

#include "md/input/physics_row.hpp"

namespace sterna::md::physics {

/// Flexible molecules: [[molecule]]s.
PhysicsRow flexible_molecules();

}  // namespace sterna::md::physics
