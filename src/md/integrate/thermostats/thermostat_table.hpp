#pragma once

#include <memory>
#include <vector>

#include "md/input/thermostat_kind.hpp"
#include "md/integrate/thermostats/thermostat.hpp"

namespace sterna::md {

/// A kind of thermostat: what the input knows of it, and the way to make it.
struct ThermostatRow {
  ThermostatKind (*kind)() = nullptr;
  std::unique_ptr<StepModifier> (*make)(const ThermostatRequest& request) = nullptr;
};

/// The rows, each defined in the thermostat's own file.
namespace thermostat {
#define STERNA_THERMOSTAT(name) extern const ThermostatRow name;
#include "md/integrate/thermostats/thermostat_list.inc"
#undef STERNA_THERMOSTAT
}  // namespace thermostat

/// The usual way: `Modifier` has a constructor that takes the request.
template <class Modifier>
std::unique_ptr<StepModifier> make_thermostat(const ThermostatRequest& request) {
  return std::make_unique<Modifier>(request);
}

/// Appends what keeps the temperature as [thermostat] says; nothing for those of kind "none".
void make_thermostats(const comm::Context& context, const Input& input,
                      const MoleculeTable& molecules,
                      std::vector<std::unique_ptr<StepModifier>>& modifiers);

}  // namespace sterna::md
