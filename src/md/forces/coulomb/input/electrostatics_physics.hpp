#pragma once

#include "md/input/physics_row.hpp"

namespace sterna::md::physics {

/// Charges and [electrostatics].
PhysicsRow electrostatics();

}  // namespace sterna::md::physics
