#include "md/integrate/barostats/barostat_section.hpp"

#include <fmt/format.h>

#include "md/input/barostat_row.hpp"
#include "md/input/sections/section.hpp"
#include "md/integrate/barostats/check_barostat.hpp"

namespace sterna::md::section {
namespace {

Condition barostat_is_on() {
  Condition condition{"barostat", "kind", {}, Severity::warning};
  for (const BarostatRow& kind : barostat_rows()) condition.values.push_back(kind.name);
  return condition;
}

Condition barostat_keeps_pressure() {
  const auto kinds =
      barostat_rows().names_that([](const BarostatRow& kind) { return kind.keeps_pressure; });
  return {"barostat", "kind", {kinds.begin(), kinds.end()}, Severity::warning};
}

Condition barostat_takes_ramps() {
  const auto kinds =
      barostat_rows().names_that([](const BarostatRow& kind) { return kind.takes_ramps; });
  return {"barostat", "kind", {kinds.begin(), kinds.end()}, Severity::warning};
}

std::string_view barostat_description() {
  std::string all;
  for (const BarostatRow& kind : barostat_rows()) {
    all += fmt::format("{}{}", all.empty() ? "" : " ", kind.sentence);
  }
  return kept(all);
}

std::string_view barostat_time_description() {
  std::string all = "Longer than the thermostat's.";
  for (const BarostatRow& kind : barostat_rows()) {
    if (!kind.keeps_pressure) continue;
    all += fmt::format(" With \"{}\" it is {}.", kind.name, kind.time_constant);
  }
  return kept(all);
}

/// Adds the keys that only some kinds of barostats have.
void add_keys_of_barostats(std::vector<KeySchema>& keys) {
  for (const BarostatRow& kind : barostat_rows()) {
    for (KeySchema key : kind.keys) {
      key.condition = Condition{"barostat", "kind", {kind.name}, Severity::warning};
      keys.push_back(std::move(key));
    }
  }
}

}  // namespace

// It is long because it is a table, with a row for each key of the section.
InputSection barostat() {
  InputSection section{
      .schema = {.name = "barostat",
                 .description = "Changes the box: keeps the pressure, with a thermostat that "
                                "samples the canonical ensemble, or strains it at a rate.",
                 .aliases = {"npt", "pressure", "deformation", "deform"}},
      .keys = {{.name = "kind",
                .target = target_in<&Input::barostat, &BarostatSection::kind>,
                .description = barostat_description(),
                .need = Need::required,
                .choices =
                    [] {
                      Names names{"none"};
                      for (const BarostatRow& kind : barostat_rows()) names.push_back(kind.name);
                      return names;
                    },
                .aliases = {"type", "method"}},
               {.name = "pressure",
                .target = target_in<&Input::barostat, &BarostatSection::pressure>,
                .description = "The pressure to keep.",
                .need = Need::required,
                .dimension = Dimension::pressure,
                .condition = barostat_keeps_pressure(),
                .aliases = {"p", "target"}},
               {.name = "end_pressure",
                .target = target_in<&Input::barostat, &BarostatSection::end_pressure>,
                .description = "Compresses or expands: the pressure to keep moves evenly from "
                               "`pressure` to this one, which the last step has.",
                .default_text = "that of `pressure`",
                .dimension = Dimension::pressure,
                .condition = barostat_takes_ramps(),
                .aliases = {"ramp", "final_pressure"}},
               {.name = "time_constant",
                .target = target_in<&Input::barostat, &BarostatSection::time_constant>,
                .description = barostat_time_description(),
                .need = Need::required,
                .dimension = Dimension::time,
                .range = positive,
                .condition = barostat_keeps_pressure(),
                .aliases = {"tau", "tau_p", "relaxation_time"}},
               {.name = "coupling",
                .target = target_in<&Input::barostat, &BarostatSection::coupling>,
                .description = "How the box changes.",
                .condition = barostat_keeps_pressure(),
                .aliases = {"pcoupltype", "couple"}},
               {.name = "axis",
                .target = target_in<&Input::barostat, &BarostatSection::axis>,
                .description = "The axis of a semi-isotropic or uniaxial coupling.",
                .condition = choice_is("barostat", "coupling",
                                       {BoxCoupling::semi_isotropic, BoxCoupling::uniaxial},
                                       Severity::warning),
                .aliases = {"normal"}},
               {.name = "interval",
                .target = target_in<&Input::barostat, &BarostatSection::interval>,
                .description =
                    "Steps between two changes of the box, each of which rebuilds neighbor lists.",
                .range = {.minimum = 1.0, .maximum = 1e6},
                .condition = barostat_is_on(),
                .aliases = {"every", "nstpcouple"}}}};
  add_keys_of_barostats(section.keys);
  section.behind = "thermostat";
  section.check = check_barostat;
  return section;
}

}  // namespace sterna::md::section
