#pragma once

#include <memory>
#include <vector>

#include "md/input/thermostat_row.hpp"
#include "md/integrate/thermostats/thermostat.hpp"

namespace sterna::md {

/// The rows, each defined in the thermostat's own file.
namespace thermostat {
#define STERNA_THERMOSTAT(name) ThermostatRow name();
#include "md/integrate/thermostats/thermostat_list.inc"
#undef STERNA_THERMOSTAT
}  // namespace thermostat

/// All of them, in the order of the reference page.
const Registry<ThermostatRow>& thermostat_table();

/// The usual way: `Modifier` has a constructor that takes the request.
template <class Modifier>
std::unique_ptr<StepModifier> make_thermostat(const ThermostatRequest& request) {
  return made_from<Modifier, Thermostat>(request);
}

/// Appends the thermostats of the sections [thermostat], except those of kind "none".
void make_thermostats(const comm::Context& context, const Input& input,
                      const MoleculeTable& molecules,
                      std::vector<std::unique_ptr<StepModifier>>& modifiers);

}  // namespace sterna::md
