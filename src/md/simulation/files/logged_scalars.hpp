#pragma once

#include <vector>

#include "md/core/units.hpp"
#include "md/observe/thermodynamic_state.hpp"
#include "md/output/json_log.hpp"

namespace sterna::md {

struct LoggedKinds {
  bool moves = true;            ///< false: the largest force instead of velocities
  bool rotating = false;        ///< adds the energy of rotation
  bool changes_volume = false;  ///< adds the volume
  bool changes_shape = false;   ///< adds the edges of the box
};
/// The quantities of a row of the log, in the units of the input.
std::vector<LoggedScalar> logged_scalars(const ThermodynamicState& state, const UnitSystem& units,
                                         const LoggedKinds& kinds);

}  // namespace sterna::md
