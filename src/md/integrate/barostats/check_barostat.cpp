#include "md/integrate/barostats/check_barostat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/input/barostat_row.hpp"
#include "md/input/thermostat_parts.hpp"
#include "md/input/thermostat_row.hpp"

namespace sterna::md {

void check_barostat(const Input& input, const IsGood& is_good, const Report& report) {
  const Input::Barostat& barostat = input.barostat;
  const BarostatRow* const kind = row_of(barostat);
  if (kind == nullptr || !is_good("barostat.kind")) return;
  const auto error = [&](std::string_view place, std::string message) {
    report(Severity::error, place, std::move(message));
  };
  if (input.minimizes()) {
    error("barostat.kind",
          "a minimization keeps its box; [barostat] needs integrator = \"velocity_verlet\" in "
          "[run]");
  }
  const std::string& decomposition = input.domain.decomposition;
  if (is_good("domain.decomposition") && decomposition != "auto" && decomposition != "grid") {
    error("domain.decomposition",
          fmt::format("decomposition = {} does not go with a [barostat], whose box changes; "
                      "expected \"grid\" or \"auto\"",
                      quote(decomposition)));
  }
  if (is_good("interaction.tail_correction") &&
      input.interaction.tail_correction == TailCorrection::planar) {
    error("interaction.tail_correction",
          "the planar correction is that of one box, which a [barostat] changes; expected "
          "\"homogeneous\" or \"none\"");
  }
  if (barostat.coupling == Input::Coupling::triclinic && kind->needs_symmetric_virial &&
      !input.components.empty()) {
    const auto others = barostat_rows().names_that(
        [](const BarostatRow& other) { return !other.needs_symmetric_virial; });
    error(
        "barostat.coupling",
        fmt::format("the virial tensor of rigid molecules is not symmetric in each step, but kind "
                    "= {} with coupling = \"triclinic\" goes by it; expected kind = {}, or "
                    "another coupling",
                    quote(barostat.kind), choice_list(others)));
  }
  if (kind->check != nullptr) kind->check(input, is_good, report);
  const auto canonical = [](const Input::Thermostat& thermostat) {
    const ThermostatRow* of_thermostat = row_of(thermostat);
    return of_thermostat != nullptr && of_thermostat->is_canonical &&
           !keeps_rotation_alone(thermostat);
  };
  if (kind->needs_thermostat && !std::ranges::any_of(input.thermostats, canonical)) {
    const auto kinds =
        thermostat_rows().names_that([](const ThermostatRow& of) { return of.is_canonical; });
    report(Severity::warning, "barostat.kind",
           fmt::format("without a thermostat that samples the canonical ensemble the volumes are "
                       "those of no ensemble; expected {} in [thermostat]",
                       choice_list(kinds)));
  }
}

}  // namespace sterna::md
