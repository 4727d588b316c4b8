#include "md/input/thermostat_parts.hpp"

#include "md/input/atom_groups.hpp"

namespace sterna::md {

bool acts_on_a_part(const Input::Thermostat& thermostat) {
  const auto& parts = thermostat.options<ThermostatParts>();
  return thermostat.is_partial() || !parts.groups.empty() || parts.motion != ThermalMotion::all;
}

bool keeps_rotation_alone(const Input::Thermostat& thermostat) {
  return thermostat.options<ThermostatParts>().motion == ThermalMotion::rotation;
}

const Input::Thermostat* thermostat_of_run(const Input& input) {
  for (const Input::Thermostat& thermostat : input.thermostats) {
    if (thermostat.is_used() && !keeps_rotation_alone(thermostat)) return &thermostat;
  }
  return nullptr;
}

bool may_share_motion(const Input& input, const Input::Thermostat& a, const Input::Thermostat& b) {
  const auto &of_a = a.options<ThermostatParts>(), &of_b = b.options<ThermostatParts>();
  const bool every_kind = of_a.motion == ThermalMotion::all || of_b.motion == ThermalMotion::all;
  if (!every_kind && of_a.motion != of_b.motion) return false;
  if (!a.component.empty() && !b.component.empty() && a.component != b.component) return false;
  if (of_a.groups.empty() && of_b.groups.empty()) return true;
  return may_share_particles(input, {a.component, of_a.groups}, {b.component, of_b.groups});
}

}  // namespace sterna::md
