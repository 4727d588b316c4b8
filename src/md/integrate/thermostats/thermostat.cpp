#include "md/integrate/thermostats/thermostat.hpp"

#include <algorithm>

#include "md/input/thermostat_row.hpp"

namespace sterna::md {

Thermostat::Thermostat(const ThermostatRequest& request)
    : StepModifier(
          request.context,
          StepRange::of(request.input, request.wanted().start_step, request.wanted().stop_step, 1),
          request.molecules, request.thermal_energy()),
      where_(selection_of(request.wanted().component, request.wanted().lower,
                          request.wanted().upper, request.molecules)),
      keeps_momentum_(row_of(request.wanted())->keeps_momentum(request.wanted())) {
  if (const auto end = request.wanted().end_temperature) {
    ramp_ = {request.thermal_energy(), request.input.units.boltzmann() * *end};
  }
}

double Thermostat::apply(ParticleStore& particles, const StepContext& now) {
  if (ramp_) {
    const auto passed = static_cast<double>(now.step - steps_.first);
    const auto whole = static_cast<double>(std::max<std::int64_t>(steps_.last - steps_.first, 1));
    set_thermal_energy(ramp_->first + (ramp_->last - ramp_->first) * passed / whole);
  }
  return act(particles, now);
}

}  // namespace sterna::md
