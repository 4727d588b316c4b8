#pragma once

#include "md/input/physics_row.hpp"

namespace sterna::md::physics {

/// How particles move, and what changes their motion directly: thermostats, barostats, drift control,
/// limits, alignment, frozen molecules.
PhysicsRow motion();

}  // namespace sterna::md::physics
