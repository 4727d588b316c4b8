#pragma once

#include "md/input/physics_row.hpp"

namespace sterna::md::physics {

/// Tersoff's potential and the embedded-atom method.
PhysicsRow many_body();

}  // namespace sterna::md::physics
