#include "md/integrate/thermostats/thermostat_advice.hpp"

#include <fmt/format.h>

#include <string>

#include "md/input/thermostat_row.hpp"

namespace sterna::md {
namespace {

class ThermostatAdviser {
 public:
  ThermostatAdviser(const Input& input, const Report& report) : input_(input), report_(report) {}

  void advise() {
    for (std::size_t n = 0; n < input_.thermostats.size(); ++n) {
      const Input::Thermostat& thermostat = input_.thermostats[n];
      const ThermostatRow* kind = row_of(thermostat);
      if (kind == nullptr) continue;
      if (kind->has_time_constant) {
        time_constant(thermostat, fmt::format("thermostat[{}].time_constant", n));
      }
      start_temperature(thermostat);
    }
  }

 private:
  std::string text(double value, Dimension dimension) const {
    return input_.units.text(value, dimension);
  }
  std::string time(double value) const { return text(value, Dimension::time); }

  void time_constant(const Input::Thermostat& thermostat, const std::string& place) {
    const double tau = thermostat.time_constant, dt = input_.run.timestep;
    if (tau < 10.0 * dt) {
      report_(
          Severity::warning, place,
          fmt::format("a time constant of {} is only {:.3g} time steps: the thermostat rules the "
                      "dynamics. 100 time steps, {}, disturb little",
                      time(tau), tau / dt, time(100.0 * dt)));
    } else if (tau > 0.2 * dt * static_cast<double>(input_.run.steps) && input_.run.steps >= 100) {
      report_(Severity::advice, place,
              fmt::format("a time constant of {} is long for a run of {}: the temperature will "
                          "hardly have settled",
                          time(tau), time(dt * static_cast<double>(input_.run.steps))));
    }
  }

  void start_temperature(const Input::Thermostat& thermostat) {
    const auto start = input_.start.temperature;
    if (start && *start > 0.0 &&
        (*start > 3.0 * thermostat.temperature || thermostat.temperature > 3.0 * *start)) {
      report_(Severity::advice, "start.temperature",
              fmt::format("the start at {} is far from the thermostat's {}",
                          text(*start, Dimension::temperature),
                          text(thermostat.temperature, Dimension::temperature)));
    }
  }

  const Input& input_;
  const Report& report_;
};

}  // namespace

void advise_on_thermostats(const Input& input, const SystemFacts&, const Report& report) {
  if (!input.minimizes()) ThermostatAdviser(input, report).advise();
}

}  // namespace sterna::md
