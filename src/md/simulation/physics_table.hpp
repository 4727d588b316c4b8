#pragma once

#include "md/input/physics_row.hpp"

namespace sterna::md {

/// All kinds of physics that the input knows by their rows, in the order of their checks: pairs, rigid
/// and flexible molecules, many-body potentials, which set the cutoff, those of force terms in the
/// order of their table, and motion.
const Registry<PhysicsRow>& physics_table();

}  // namespace sterna::md
