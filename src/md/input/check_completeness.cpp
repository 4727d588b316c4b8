#include "md/input/check_completeness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace sterna::md {
namespace {

/// The key whose value decides whether another key has a meaning.
struct Decider {
  const KeySchema& key;
  std::string place;
  std::size_t index;
};

Decider decider_of(const KeySchema& key, const InputReading::Instance& instance) {
  const KeySchema& decider = *find_key(key.condition->section, key.condition->key);
  const bool here = decider.section == key.section;
  return {decider, fmt::format("{}.{}", here ? instance.place : decider.section, decider.name),
          here ? instance.index : 0};
}

std::string value_of(const Decider& decider, InputReading& reading) {
  const Target target = decider.key.target(reading.input(), decider.index);
  if (const auto* choice = std::get_if<ChoiceTarget>(&target)) {
    return std::string(choice_name(*choice));
  }
  return *std::get<std::string*>(target);
}

/// Whether this key has a meaning in this input; nothing if the deciding key could not be read.
std::optional<bool> applies(const KeySchema& key, const InputReading::Instance& instance,
                            InputReading& reading) {
  if (!key.condition) return true;
  const Decider decider = decider_of(key, instance);
  const bool given = reading.input().places.contains(decider.place);
  if (reading.bad.contains(decider.place)) return std::nullopt;
  if (!given && (decider.key.need == Need::required || reading.excused.contains(decider.place))) {
    return std::nullopt;
  }
  const auto& values = key.condition->values;
  return std::ranges::find(values, value_of(decider, reading)) != values.end();
}

std::string needed_keys(const SectionSchema& section) {
  std::string text;
  for (const KeySchema& key : input_keys()) {
    if (key.section != section.name || key.need != Need::required) continue;
    if (key.condition && key.condition->severity == Severity::error) continue;
    text += fmt::format("{}\"{}\"", text.empty() ? "; it is required, with " : ", ", key.name);
  }
  return text.empty() ? "; it is required" : text;
}

void missing_sections(InputReading& reading) {
  for (const SectionSchema& section : input_sections()) {
    if (!section.required || reading.present.contains(section.name)) continue;
    if (reading.excused.contains(section.name)) continue;
    reading.report(
        Severity::error, {},
        fmt::format("there is no section {}{}", section_label(section), needed_keys(section)));
  }
}

/// Reports that there are neither types nor components.
void missing_particles(InputReading& reading) {
  for (const std::string_view section : {"type", "component"}) {
    if (reading.present.contains(section) || reading.excused.contains(section)) return;
  }
  reading.report(Severity::error, {},
                 "there is no section [[type]], of particles, nor [[component]], of rigid "
                 "molecules; one of them is required, with \"name\"");
}

bool is_needed(const KeySchema& key, const InputReading::Instance& instance, InputReading& reading,
               bool from_program) {
  if (key.section != instance.section->name || key.need == Need::optional) return false;
  if (from_program && key.section == "run" && key.name == "steps") return false;
  if (key.need == Need::with_real_units &&
      (reading.input().units.is_reduced() || reading.units_unknown)) {
    return false;
  }
  const std::string place = fmt::format("{}.{}", instance.place, key.name);
  if (reading.input().places.contains(place) || reading.excused.contains(place)) return false;
  if (applies(key, instance, reading) != true) return false;
  return key.unneeded == nullptr || !key.unneeded(reading.input(), instance.index);
}

void missing_keys(InputReading& reading, bool from_program) {
  for (const InputReading::Instance& instance : reading.instances) {
    for (const KeySchema& key : input_keys()) {
      if (!is_needed(key, instance, reading, from_program)) continue;
      const UnitSystem& units = reading.input().units;
      std::string because;
      if (key.condition) {
        because =
            fmt::format(" with {} = {}", key.condition->key, choice_list(key.condition->values));
      }
      if (key.need == Need::with_real_units) {
        because = fmt::format(" with units = \"{}\"", units.name());
      }
      reading.report(
          Severity::error, reading.place_named(instance.place),
          fmt::format("{} lacks the key \"{}\", required{}: {}", section_label(*instance.section),
                      key.name, because, expectation(key, units)));
    }
  }
}

void keys_without_meaning(InputReading& reading) {
  for (const InputReading::Instance& instance : reading.instances) {
    for (const KeySchema& key : input_keys()) {
      if (key.section != instance.section->name || !key.condition) continue;
      const std::string place = fmt::format("{}.{}", instance.place, key.name);
      if (!reading.input().places.contains(place) || applies(key, instance, reading) != false) {
        continue;
      }
      const Condition& condition = *key.condition;
      const std::string where =
          condition.section == key.section ? "" : fmt::format(" in [{}]", condition.section);
      const bool is_error = condition.severity == Severity::error;
      reading.report(condition.severity, reading.place_named(place),
                     fmt::format("{} has no {} with {} = \"{}\"{}; only with {} = {}",
                                 key_label(key), is_error ? "meaning" : "effect", condition.key,
                                 value_of(decider_of(key, instance), reading), where, condition.key,
                                 choice_list(condition.values)));
      if (is_error) reading.bad.insert(place);
    }
  }
}

}  // namespace

void check_completeness(InputReading& reading, bool from_program) {
  missing_sections(reading);
  missing_particles(reading);
  check_keys(reading, from_program);
}

void check_keys(InputReading& reading, bool from_program) {
  missing_keys(reading, from_program);
  keys_without_meaning(reading);
}

}  // namespace sterna::md
