#pragma once

#include "md/input/physics_row.hpp"

namespace sterna::md::physics {

/// Pairs of atoms: [[pair]], parameters and ends of their potentials.
PhysicsRow pairs();

}  // namespace sterna::md::physics
