#include "md/input/owner_tables.hpp"

#include <stdexcept>

#include "md/input/barostat_row.hpp"
#include "md/input/integrator_row.hpp"
#include "md/input/observer_row.hpp"
#include "md/input/physics_row.hpp"
#include "md/input/start_reader_row.hpp"
#include "md/input/thermostat_row.hpp"
#include "md/input/trajectory_row.hpp"

namespace sterna::md {
namespace {

constinit const OwnerTables* handed_in_tables = nullptr;

}  // namespace

void hand_in(const OwnerTables& tables) {
  handed_in_tables = &tables;
}

const OwnerTables& owner_tables() {
  if (handed_in_tables != nullptr) return *handed_in_tables;
  throw std::logic_error(
      "this program was linked without the tables of thermostats, observers and readers: its "
      "linker needs the options of the CMake target sterna::md");
}

const Registry<PhysicsRow>& physics_rows() {
  return owner_tables().physics();
}
const Registry<IntegratorRow>& integrator_rows() {
  return owner_tables().integrators();
}
const Registry<ThermostatRow>& thermostat_rows() {
  return owner_tables().thermostats();
}
const Registry<BarostatRow>& barostat_rows() {
  return owner_tables().barostats();
}
const Registry<ObserverRow>& observer_rows() {
  return owner_tables().observers();
}
const Registry<TrajectoryRow>& trajectory_rows() {
  return owner_tables().trajectories();
}
const Registry<StartReaderRow>& start_reader_rows() {
  return owner_tables().start_readers();
}

const ThermostatRow* row_of(const Input::Thermostat& thermostat) {
  return thermostat_rows().find(thermostat.kind);
}
const BarostatRow* row_of(const Input::Barostat& barostat) {
  return barostat_rows().find(barostat.kind);
}

}  // namespace sterna::md
