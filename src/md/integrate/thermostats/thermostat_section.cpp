#include "md/integrate/thermostats/thermostat_section.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "md/input/sections/section.hpp"
#include "md/input/thermostat_parts.hpp"
#include "md/input/thermostat_row.hpp"
#include "md/integrate/thermostats/check_thermostats.hpp"

namespace sterna::md::section {
namespace {

Condition thermostat_is(std::vector<std::string_view> kinds) {
  return {"thermostat", "kind", std::move(kinds), Severity::warning};
}

/// Keys with which a thermostat of another kind would act on more than they say.
Condition thermostat_takes(bool (*takes)(const ThermostatRow& kind)) {
  return {"thermostat", "kind", thermostat_rows().names_that(takes), Severity::error};
}

/// The descriptions of all kinds.
std::string_view thermostat_description() {
  std::string all;
  for (const ThermostatRow& kind : thermostat_rows()) {
    all += fmt::format("{}{}", all.empty() ? "" : " ", kind.sentence);
  }
  return kept(all);
}

std::string_view thermostat_time_description() {
  std::string meanings;
  for (const ThermostatRow& kind : thermostat_rows()) {
    if (kind.time_constant.empty()) continue;
    meanings += fmt::format("{} \"{}\" it is {}", meanings.empty() ? " With" : ", with", kind.name,
                            kind.time_constant);
  }
  return kept(fmt::format(
      "How fast the temperature relaxes; some hundred time steps disturb the dynamics little.{}.",
      meanings));
}

std::string_view thermostat_component_description() {
  Input::Thermostat of_some;
  of_some.component = "A";
  const Names others = thermostat_rows().names_that(
      [&](const ThermostatRow& kind) { return !kind.keeps_momentum(of_some); });
  return kept(
      fmt::format("Name of the `[[component]]` or `[[type]]` whose molecules it acts on. Of some "
                  "of the molecules only the motion relative to their common center of mass is "
                  "scaled, so that the total momentum is kept (but not with {}).",
                  choice_list(others)));
}

/// Adds the keys that only some kinds have. Kinds may share a key together with its options.
void add_keys_of_thermostats(std::vector<KeySchema>& keys) {
  for (const ThermostatRow& kind : thermostat_rows()) {
    for (KeySchema key : kind.keys) {
      const auto shared = std::ranges::find(keys, key.target, &KeySchema::target);
      if (shared != keys.end()) {
        shared->condition->values.push_back(kind.name);
        continue;
      }
      key.condition = thermostat_is({kind.name});
      keys.push_back(std::move(key));
    }
  }
}

}  // namespace

// It is long because it is a table, with a row for each key of the section.
InputSection thermostat() {
  InputSection section{
      .schema = {.name = "thermostat",
                 .may_repeat = true,
                 .tables = tables_in<&Input::thermostats>(),
                 .description = "Keeps the temperature. Without this section the energy is kept "
                                "(NVE). Several of them, written `[[thermostat]]`, keep those of "
                                "several components, groups, regions or kinds of motion, or "
                                "follow one another in time.",
                 .aliases = {"nvt", "temperature"}},
      .keys = {
          {.name = "kind",
           .target = target_in_table<&Input::thermostats, &ThermostatSection::kind>,
           .description = thermostat_description(),
           .need = Need::required,
           .choices =
               [] {
                 Names names{"none"};
                 for (const ThermostatRow& kind : thermostat_rows()) names.push_back(kind.name);
                 return names;
               },
           .aliases = {"type", "method"}},
          {.name = "temperature",
           .target = target_in_table<&Input::thermostats, &ThermostatSection::temperature>,
           .description = "The temperature to keep.",
           .need = Need::required,
           .dimension = Dimension::temperature,
           .range = positive,
           .condition = thermostat_is(thermostat_rows().names()),
           .aliases = {"temp", "t", "target"}},
          {.name = "end_temperature",
           .target = target_in_table<&Input::thermostats, &ThermostatSection::end_temperature>,
           .description = "Heats or cools: the temperature to keep moves from `temperature` at "
                          "`start_step` evenly to this one at `stop_step`.",
           .default_text = "that of `temperature`",
           .dimension = Dimension::temperature,
           .range = positive,
           .condition = thermostat_is(thermostat_rows().names_that(
               [](const ThermostatRow& kind) { return kind.takes_ramps; })),
           .aliases = {"ramp", "final_temperature"}},
          {.name = "time_constant",
           .target = target_in_table<&Input::thermostats, &ThermostatSection::time_constant>,
           .description = thermostat_time_description(),
           .need = Need::required,
           .dimension = Dimension::time,
           .range = positive,
           .condition = thermostat_is(thermostat_rows().names_that(
               [](const ThermostatRow& kind) { return kind.has_time_constant; })),
           .aliases = {"tau", "tau_t", "damping", "relaxation_time"}},
          {.name = "start_step",
           .target = target_in_table<&Input::thermostats, &ThermostatSection::start_step>,
           .description = "The thermostat acts from this step on.",
           .range = {.minimum = 0.0, .maximum = most_steps}},
          {.name = "stop_step",
           .target = target_in_table<&Input::thermostats, &ThermostatSection::stop_step>,
           .description = "The last step in which the thermostat acts. 0: that of the run.",
           .default_text = "0: to the end",
           .range = {.minimum = 0.0, .maximum = most_steps}},
          {.name = "component",
           .target = target_in_table<&Input::thermostats, &ThermostatSection::component>,
           .description = thermostat_component_description(),
           .default_text = "all",
           .aliases = {"componentName"}},
          {.name = "groups",
           .target = thermostat_option<&ThermostatParts::groups>,
           .description = "Names of `[[group]]`s whose particles it acts on, those of any. A group "
                          "that asks where particles are has other ones in each step.",
           .default_text = "all",
           .condition =
               thermostat_takes([](const ThermostatRow& kind) { return kind.takes_groups; }),
           .aliases = {"group", "selections", "selection", "tc_grps"}},
          {.name = "motion",
           .target = thermostat_option<&ThermostatParts::motion>,
           .description = "The kind of motion whose temperature it keeps.",
           .condition =
               thermostat_takes([](const ThermostatRow& kind) { return kind.takes_motions; }),
           .aliases = {"modes", "degrees_of_freedom"}},
          {.name = "lower",
           .target = target_in_table<&Input::thermostats, &ThermostatSection::lower>,
           .description = "Lower corner of the region where it acts, counted from the box's "
                          "corner; molecules belong to it by their centers of mass.",
           .default_text = "no bound",
           .dimension = Dimension::length,
           .aliases = {"region_lower", "from"}},
          {.name = "upper",
           .target = target_in_table<&Input::thermostats, &ThermostatSection::upper>,
           .description = "Upper corner of that region.",
           .default_text = "no bound",
           .dimension = Dimension::length,
           .aliases = {"region_upper", "to"}}}};
  add_keys_of_thermostats(section.keys);
  section.behind = "neighbor";
  section.check = check_thermostats;
  return section;
}

}  // namespace sterna::md::section
