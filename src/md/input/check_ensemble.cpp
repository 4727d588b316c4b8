#include "md/input/check_ensemble.hpp"

#include <fmt/format.h>

#include "md/core/display_text.hpp"
#include "md/input/input_schema.hpp"
#include "md/input/thermostat_parts.hpp"
#include "md/input/thermostat_row.hpp"

namespace sterna::md {

std::string why_no_ensemble(const Input& input) {
  if (input.minimizes()) return "a minimization has none";
  if (input.barostat.is_used() && !input.has_thermostat()) {
    return "a [barostat] without [thermostat] keeps the enthalpy; expected a thermostat";
  }
  if (input.barostat.end_pressure) return "\"end_pressure\" in [barostat] moves it";
  for (const Input::Thermostat& thermostat : input.thermostats) {
    const ThermostatRow* const kind = row_of(thermostat);
    if (kind == nullptr) continue;
    if (!kind->is_canonical) {
      const auto kinds =
          thermostat_rows().names_that([](const ThermostatRow& of) { return of.is_canonical; });
      return fmt::format("kind = {} in [thermostat] samples none; expected {}",
                         quote(thermostat.kind), choice_list(kinds));
    }
    if (thermostat.end_temperature) return "\"end_temperature\" in [thermostat] moves it";
    if (acts_on_a_part(thermostat) || thermostat.start_step > 0 || thermostat.stop_step > 0) {
      return "this thermostat acts on some molecules or in some steps only";
    }
  }
  return {};
}

}  // namespace sterna::md
