#pragma once

#include <vector>

#include "md/core/units.hpp"
#include "md/observe/thermodynamic_state.hpp"
#include "md/output/json_log.hpp"

namespace sterna::md {

struct LoggedKinds {
  bool moves = true;            ///< otherwise no velocities, but the largest force
  bool rotating = false;        ///< with the energy of rotation
  bool changes_volume = false;  ///< with the volume
  bool changes_shape = false;   ///< with the edges of the box
};
/// What a row of the log says, in the units of the input.
std::vector<LoggedScalar> logged_scalars(const ThermodynamicState& state, const UnitSystem& units,
                                         const LoggedKinds& kinds);

}  // namespace sterna::md
