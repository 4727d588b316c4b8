#include "md/input/check_neighbor.hpp"

#include <algorithm>
#include <utility>

#include "md/input/many_body_input.hpp"

namespace sterna::md {

double highest_temperature(const Input& input) {
  double highest = input.start.temperature.value_or(0.0);
  for (const Input::Thermostat& thermostat : input.thermostats) {
    if (thermostat.is_used()) highest = std::max(highest, thermostat.highest_temperature());
  }
  return highest;
}

double highest_thermal_energy(const Input& input) {
  return input.units.boltzmann() * highest_temperature(input);
}

void check_neighbor(const Input& input, const IsGood& is_good, const Report& report) {
  if (input.neighbor.buffer != Input::Neighbor::Buffer::tolerance) return;
  if (!is_good("neighbor.buffer")) return;
  const auto error = [&](std::string_view place, std::string message) {
    report(Severity::error, input.places.contains(place) ? place : "neighbor.buffer",
           std::move(message));
  };
  if (input.places.contains("neighbor.skin")) {
    error("neighbor.skin",
          "buffer = \"tolerance\" chooses the skin; give either \"skin\" or \"tolerance\"");
  }
  if (!input.components.empty() || uses_many_body_potential(input)) {
    error("neighbor.buffer",
          "how many pairs are missed is known for pair potentials of [[type]]s; expected buffer = "
          "\"exact\"");
  }
  if (input.minimizes()) {
    error("neighbor.buffer",
          "a minimization has no velocities that say how fast pairs come near; expected buffer = "
          "\"exact\"");
  }
  if (!(highest_thermal_energy(input) > 0.0)) {
    error("neighbor.buffer",
          "buffer = \"tolerance\" needs a temperature: of a [thermostat], or in [start]");
  }
}

}  // namespace sterna::md
