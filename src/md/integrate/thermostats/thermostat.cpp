#include "md/integrate/thermostats/thermostat.hpp"

#include "md/input/atom_groups.hpp"
#include "md/input/thermostat_row.hpp"

namespace sterna::md {
namespace {

SelectedMotion selected_motion(const ThermostatRequest& request) {
  const Input::Thermostat& wanted = request.wanted();
  const auto& parts = wanted.options<ThermostatParts>();
  std::vector<AtomGroup> groups;
  if (!parts.groups.empty()) {
    groups = groups_from_input(request.input, *request.molecules.topology, parts.groups);
  }
  return {selection_of(wanted.component, wanted.lower, wanted.upper, request.molecules),
          std::move(groups), parts.motion};
}

}  // namespace

Thermostat::Thermostat(const ThermostatRequest& request)
    : StepModifier(
          request.context,
          StepRange::of(request.input, request.wanted().start_step, request.wanted().stop_step, 1),
          request.molecules, request.thermal_energy()),
      motion_(selected_motion(request)),
      keeps_momentum_(row_of(request.wanted())->keeps_momentum(request.wanted())) {
  if (const auto end = request.wanted().end_temperature) {
    const std::int64_t stop = request.wanted().stop_step;
    ramp_ = {request.thermal_energy(), request.input.units.boltzmann() * *end, steps_.first,
             stop > 0 ? stop : request.input.run.steps};
  }
}

double Thermostat::apply(ParticleStore& particles, const StepContext& now) {
  if (ramp_) set_thermal_energy(ramp_->at(now.step));
  return act(particles, now);
}

}  // namespace sterna::md
