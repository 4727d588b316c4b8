#include "md/integrate/thermostats/thermostat.hpp"

#include "md/input/thermostat_kind.hpp"

namespace sterna::md {

Thermostat::Thermostat(const ThermostatRequest& request)
    : StepModifier(
          request.context,
          StepRange::of(request.input, request.wanted().start_step, request.wanted().stop_step, 1),
          request.molecules, request.thermal_energy()),
      where_(selection_of(request.wanted().component, request.wanted().lower,
                          request.wanted().upper, request.molecules)),
      keeps_momentum_(kind_of(request.wanted())->keeps_momentum(request.wanted())) {}

}  // namespace sterna::md
