#pragma once

#include <string>
#include <vector>

#include "md/core/registry.hpp"

namespace sterna::md {

struct BarostatRow;
struct IntegratorRow;
struct ObserverRow;
struct PhysicsRow;
struct StartReaderRow;
struct ThermostatRow;
struct TrajectoryRow;

/// The declarations of the owners of sections. They are above this folder, which names none of
/// them: `simulation/owner_tables.cpp` hands their tables in.
struct OwnerTables {
  const Registry<PhysicsRow>& (*physics)();
  const Registry<IntegratorRow>& (*integrators)();
  const Registry<ThermostatRow>& (*thermostats)();
  const Registry<BarostatRow>& (*barostats)();
  const Registry<ObserverRow>& (*observers)();
  const Registry<TrajectoryRow>& (*trajectories)();
  const Registry<StartReaderRow>& (*start_readers)();
  /// The files that an input of another program leads to: those that it includes, those of its start,
  /// and those that it finds by its own name. Some may not be there. Empty where `path` is no such
  /// input.
  std::vector<std::string> (*files_behind)(const std::string& path);
};

/// Called once, before anything is read. `tables` stays where it is.
void hand_in(const OwnerTables& tables);

/// Returns the tables that were handed in. Throws std::logic_error if there are none.
const OwnerTables& owner_tables();

}  // namespace sterna::md
