#pragma once

#include <memory>
#include <vector>

#include "md/input/thermostat_kind.hpp"
#include "md/integrate/thermostats/thermostat.hpp"

namespace sterna::md {

/// A row of the table of thermostats: its description for the input, and its factory.
struct ThermostatRow {
  ThermostatKind (*kind)() = nullptr;
  std::unique_ptr<StepModifier> (*make)(const ThermostatRequest& request) = nullptr;
};

/// The rows; each is defined in the thermostat's own file.
namespace thermostat {
#define STERNA_THERMOSTAT(name) extern const ThermostatRow name;
#include "md/integrate/thermostats/thermostat_list.inc"
#undef STERNA_THERMOSTAT
}  // namespace thermostat

/// The usual factory, for a `Modifier` whose constructor takes the request.
template <class Modifier>
std::unique_ptr<StepModifier> make_thermostat(const ThermostatRequest& request) {
  return std::make_unique<Modifier>(request);
}

/// Appends the thermostats of the sections [thermostat], except those of kind "none".
void make_thermostats(const comm::Context& context, const Input& input,
                      const MoleculeTable& molecules,
                      std::vector<std::unique_ptr<StepModifier>>& modifiers);

}  // namespace sterna::md
