// The one place that knows all owners of parts of the input. Each program of the engine is linked with
// this file: `sterna_md` asks the linker for its symbol (CMakeLists.txt), since nothing calls it.

#include "md/input/owner_tables.hpp"

#include "md/integrate/barostats/barostat_table.hpp"
#include "md/integrate/integrators/integrator_table.hpp"
#include "md/integrate/thermostats/thermostat_table.hpp"
#include "md/observe/observer_table.hpp"
#include "md/simulation/physics_table.hpp"
#include "md/start/foreign/foreign_input.hpp"
#include "md/start/readers/reader_table.hpp"
#include "md/trajectories/trajectory_table.hpp"

namespace sterna::md {
namespace {

constexpr OwnerTables all_owner_tables{.physics = physics_table,
                                       .integrators = integrator_table,
                                       .thermostats = thermostat_table,
                                       .barostats = barostat_table,
                                       .observers = observer_table,
                                       .trajectories = trajectory_table,
                                       .start_readers = reader_table,
                                       .files_behind = files_behind};

}  // namespace
}  // namespace sterna::md

extern "C" {
/// Whether the tables were handed in, which happens when the program starts.
extern const bool sterna_md_has_owner_tables;
const bool sterna_md_has_owner_tables = [] {
  sterna::md::hand_in(sterna::md::all_owner_tables);
  return true;
}();
}
