#include "md/input/ensemble_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "md/input/barostat_kind.hpp"
#include "md/input/thermostat_kind.hpp"

namespace sterna::md {
namespace {

constexpr Range positive{.minimum = 0.0, .exclusive_minimum = true};

using Names = std::vector<std::string_view>;

Condition thermostat_is(std::vector<std::string_view> kinds) {
  return {"thermostat", "kind", std::move(kinds), Severity::warning};
}

Condition barostat_is_on() {
  Condition condition{"barostat", "kind", {}, Severity::warning};
  for (const BarostatKind& kind : barostat_kinds()) condition.values.push_back(kind.name);
  return condition;
}

std::string_view barostat_description() {
  static const std::string text = [] {
    std::string all;
    for (const BarostatKind& kind : barostat_kinds()) {
      all += fmt::format("{}{}", all.empty() ? "" : " ", kind.sentence);
    }
    return all;
  }();
  return text;
}

std::string_view barostat_time_description() {
  static const std::string text = [] {
    std::string all = "Longer than the thermostat's.";
    for (const BarostatKind& kind : barostat_kinds()) {
      all += fmt::format(" With \"{}\" it is {}.", kind.name, kind.time_constant);
    }
    return all;
  }();
  return text;
}

/// The sentences of all kinds.
std::string_view kinds_description() {
  static const std::string text = [] {
    std::string all;
    for (const ThermostatKind& kind : thermostat_kinds()) {
      all += fmt::format("{}{}", all.empty() ? "" : " ", kind.sentence);
    }
    return all;
  }();
  return text;
}

std::string_view time_constant_description() {
  static const std::string text = [] {
    std::string meanings;
    for (const ThermostatKind& kind : thermostat_kinds()) {
      if (kind.time_constant.empty()) continue;
      meanings += fmt::format("{} \"{}\" it is {}", meanings.empty() ? " With" : ", with",
                              kind.name, kind.time_constant);
    }
    return fmt::format(
        "How fast the temperature relaxes; some hundred time steps disturb the dynamics little.{}.",
        meanings);
  }();
  return text;
}

std::string_view component_description() {
  static const std::string text = [] {
    Input::Thermostat of_some;
    of_some.component = "A";
    const Names others =
        thermostats_that([&](const ThermostatKind& kind) { return !kind.keeps_momentum(of_some); });
    return fmt::format(
        "Name of the `[[component]]` or `[[type]]` whose molecules it acts on. Of some of the "
        "molecules only the motion relative to their common center of mass is scaled, so that the "
        "total momentum is kept (but not with {}).",
        choice_list(others));
  }();
  return text;
}

/// What all thermostats have.
std::vector<KeySchema> common_keys() {
  return {
      {.section = "thermostat",
       .name = "kind",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].kind; },
       .description = kinds_description(),
       .need = Need::required,
       .choices =
           [] {
             Names names{"none"};
             for (const ThermostatKind& kind : thermostat_kinds()) names.push_back(kind.name);
             return names;
           },
       .aliases = {"type", "method"}},
      {.section = "thermostat",
       .name = "temperature",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].temperature; },
       .description = "The temperature to keep.",
       .need = Need::required,
       .dimension = Dimension::temperature,
       .range = positive,
       .condition = thermostat_is(thermostats_that([](const ThermostatKind&) { return true; })),
       .aliases = {"temp", "t", "target"}},
      {.section = "thermostat",
       .name = "time_constant",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].time_constant; },
       .description = time_constant_description(),
       .need = Need::required,
       .dimension = Dimension::time,
       .range = positive,
       .condition = thermostat_is(
           thermostats_that([](const ThermostatKind& kind) { return kind.has_time_constant; })),
       .aliases = {"tau", "tau_t", "damping", "relaxation_time"}},
      {.section = "thermostat",
       .name = "start_step",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].start_step; },
       .description = "The thermostat acts from this step on.",
       .range = {.minimum = 0.0, .maximum = most_steps}},
      {.section = "thermostat",
       .name = "stop_step",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].stop_step; },
       .description = "The last step in which the thermostat acts. 0: that of the run.",
       .default_text = "0: to the end",
       .range = {.minimum = 0.0, .maximum = most_steps}},

      {.section = "thermostat",
       .name = "component",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].component; },
       .description = component_description(),
       .default_text = "all",
       .aliases = {"componentName", "group"}},
      {.section = "thermostat",
       .name = "lower",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].lower; },
       .description = "Lower corner of the region where it acts, counted from the box's corner; "
                      "molecules belong to it by their centers of mass.",
       .default_text = "no bound",
       .dimension = Dimension::length,
       .aliases = {"region_lower", "from"}},
      {.section = "thermostat",
       .name = "upper",
       .target = [](Input& i, std::size_t n) -> Target { return &i.thermostats[n].upper; },
       .description = "Upper corner of that region.",
       .default_text = "no bound",
       .dimension = Dimension::length,
       .aliases = {"region_upper", "to"}},
  };
}

/// What all barostats have.
std::vector<KeySchema> barostat_keys() {
  return {
      {.section = "barostat",
       .name = "kind",
       .target = [](Input& i, std::size_t) -> Target { return &i.barostat.kind; },
       .description = barostat_description(),
       .need = Need::required,
       .choices =
           [] {
             Names names{"none"};
             for (const BarostatKind& kind : barostat_kinds()) names.push_back(kind.name);
             return names;
           },
       .aliases = {"type", "method"}},
      {.section = "barostat",
       .name = "pressure",
       .target = [](Input& i, std::size_t) -> Target { return &i.barostat.pressure; },
       .description = "The pressure to keep.",
       .need = Need::required,
       .dimension = Dimension::pressure,
       .condition = barostat_is_on(),
       .aliases = {"p", "target"}},
      {.section = "barostat",
       .name = "time_constant",
       .target = [](Input& i, std::size_t) -> Target { return &i.barostat.time_constant; },
       .description = barostat_time_description(),
       .need = Need::required,
       .dimension = Dimension::time,
       .range = positive,
       .condition = barostat_is_on(),
       .aliases = {"tau", "tau_p", "relaxation_time"}},
      {.section = "barostat",
       .name = "coupling",
       .target = [](Input& i, std::size_t) -> Target { return target_of(i.barostat.coupling); },
       .description =
           "How the box changes. `\"isotropic\"`: all edges by one factor. `\"semi_isotropic\"`: "
           "the two edges across `axis` by one factor, that along it by another, as for membranes. "
           "`\"uniaxial\"`: only the edge along `axis`. `\"anisotropic\"`: each edge by a factor "
           "of "
           "its own. `\"triclinic\"`: the angles, too, as for crystals; a liquid does not hold "
           "them.",
       .choices =
           [] {
             return Names{"isotropic", "semi_isotropic", "uniaxial", "anisotropic", "triclinic"};
           },
       .condition = barostat_is_on(),
       .aliases = {"pcoupltype", "couple"}},
      {.section = "barostat",
       .name = "axis",
       .target = [](Input& i, std::size_t) -> Target { return target_of(i.barostat.axis); },
       .description = "The axis of a semi-isotropic or uniaxial coupling.",
       .choices = axis_names,
       .condition =
           Condition{"barostat", "coupling", {"semi_isotropic", "uniaxial"}, Severity::warning},
       .aliases = {"normal"}},
      {.section = "barostat",
       .name = "interval",
       .target = [](Input& i, std::size_t) -> Target { return &i.barostat.interval; },
       .description = "Steps between two changes of the box, each of which makes the lists anew.",
       .range = {.minimum = 1.0, .maximum = 1e6},
       .condition = barostat_is_on(),
       .aliases = {"every", "nstpcouple"}},
  };
}

}  // namespace

std::vector<KeySchema> ensemble_keys() {
  std::vector<KeySchema> keys = common_keys();
  for (const ThermostatKind& kind : thermostat_kinds()) {
    for (KeySchema key : kind.keys) {
      // Kinds may share a key, with the options that it is a part of.
      const auto shared = std::ranges::find(keys, key.target, &KeySchema::target);
      if (shared != keys.end()) {
        shared->condition->values.push_back(kind.name);
        continue;
      }
      key.section = "thermostat";
      key.condition = thermostat_is({kind.name});
      keys.push_back(std::move(key));
    }
  }
  for (KeySchema& key : barostat_keys()) keys.push_back(std::move(key));
  for (const BarostatKind& kind : barostat_kinds()) {
    for (KeySchema key : kind.keys) {
      key.section = "barostat";
      key.condition = Condition{"barostat", "kind", {kind.name}, Severity::warning};
      keys.push_back(std::move(key));
    }
  }
  return keys;
}

}  // namespace sterna::md
