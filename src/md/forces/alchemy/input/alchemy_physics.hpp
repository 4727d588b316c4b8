#pragma once

#include "md/input/physics_row.hpp"

namespace sterna::md::physics {

/// Molecules whose interactions are switched off.
PhysicsRow alchemy();

}  // namespace sterna::md::physics
