#include "md/input/schema_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "md/core/json.hpp"
#include "md/input/input_schema.hpp"
#include "md/input/stages.hpp"

namespace sterna::md {
namespace {

constexpr Dimension all_dimensions[] = {Dimension::length,
                                        Dimension::time,
                                        Dimension::mass,
                                        Dimension::energy,
                                        Dimension::temperature,
                                        Dimension::velocity,
                                        Dimension::force,
                                        Dimension::pressure,
                                        Dimension::number_density,
                                        Dimension::mass_density,
                                        Dimension::charge,
                                        Dimension::dipole_moment,
                                        Dimension::quadrupole_moment,
                                        Dimension::moment_of_inertia,
                                        Dimension::angular_momentum,
                                        Dimension::acceleration,
                                        Dimension::stiffness,
                                        Dimension::electric_field,
                                        Dimension::inverse_length,
                                        Dimension::energy_length,
                                        Dimension::energy_length_6,
                                        Dimension::energy_length_8,
                                        Dimension::energy_per_length_3,
                                        Dimension::energy_per_length_4,
                                        Dimension::energy_rate};

template <class T>
bool holds(const Target& target) {
  return std::holds_alternative<T*>(target);
}

bool is_integer(const Target& target) {
  return holds<int>(target) || holds<std::int64_t>(target) || holds<std::uint64_t>(target);
}

bool is_quantity(const Target& target) {
  return holds<double>(target) || holds<std::optional<double>>(target);
}

bool is_list_of_texts(const Target& target) {
  return holds<std::vector<std::string>>(target) ||
         std::holds_alternative<ChoiceListTarget>(target);
}

void add_range(Json& json, const Range& range) {
  if (std::isfinite(range.minimum)) {
    json[range.exclusive_minimum ? "exclusiveMinimum" : "minimum"] = range.minimum;
  }
  if (std::isfinite(range.maximum)) json["maximum"] = range.maximum;
}

Json integer_schema(const Range& range) {
  Json json{{"type", "integer"}};
  if (std::isfinite(range.minimum)) json["minimum"] = static_cast<std::int64_t>(range.minimum);
  if (std::isfinite(range.maximum)) json["maximum"] = static_cast<std::int64_t>(range.maximum);
  return json;
}

/// The schema of a number, or of a text with a number and a unit.
Json quantity_schema(const KeySchema& key) {
  Json number{{"type", "number"}};
  add_range(number, key.range);
  if (key.dimension == Dimension::none && !key.wall_clock) return number;
  std::string example = "5 min";
  if (!key.wall_clock) example = fmt::format("1.5 {}", UnitSystem::unit_names(key.dimension)[0]);
  Json text{{"type", "string"},
            {"pattern", "^\\s*[-+]?[0-9.]+([eE][-+]?[0-9]+)?\\s*\\S.*$"},
            {"examples", Json::array({example})}};
  return Json{{"anyOf", Json::array({number, text})}};
}

Json choices_schema(const KeySchema& key) {
  Json names = Json::array();
  for (const std::string_view choice : key.choices()) names.push_back(choice);
  // A program built with fewer transports has fewer methods; a file that names others must stay
  // valid.
  if (key.section == "communication") return Json{{"type", "string"}, {"examples", names}};
  if (!key.if_true.empty()) {
    names.push_back(true);
    names.push_back(false);
    return Json{{"enum", names}};
  }
  return Json{{"type", "string"}, {"enum", names}};
}

/// The schema of a choice, or of any text if there are no choices.
Json text_schema(const KeySchema& key) {
  if (key.choices != nullptr) return choices_schema(key);
  return Json{{"type", "string"}, {"minLength", 1}};
}

Json triple_schema(Json item) {
  return Json{{"type", "array"}, {"items", std::move(item)}, {"minItems", 3}, {"maxItems", 3}};
}

Json value_schema(const KeySchema& key, const Target& target) {
  if (holds<bool>(target)) return Json{{"type", "boolean"}};
  if (is_integer(target)) return integer_schema(key.range);
  if (is_quantity(target)) return quantity_schema(key);
  if (holds<Vec3>(target) || holds<std::optional<Vec3>>(target)) {
    return triple_schema(quantity_schema(key));
  }
  if (holds<std::array<int, 3>>(target)) return triple_schema(integer_schema(key.range));
  if (is_list_of_texts(target)) {
    return Json{{"type", "array"}, {"items", text_schema(key)}, {"uniqueItems", true}};
  }
  if (holds<std::vector<double>>(target)) {
    return Json{{"type", "array"}, {"items", quantity_schema(key)}};
  }
  if (holds<Input::AtomLists>(target)) {
    const Json atoms{{"type", "array"}, {"items", {{"type", "integer"}, {"minimum", 1}}}};
    const Json lists{{"type", "array"}, {"items", atoms}};
    return Json{{"anyOf", Json::array({atoms, lists})}};
  }
  return text_schema(key);
}

Json key_schema(const KeySchema& key, Input& sample) {
  Json json = value_schema(key, key.target(sample, 0));
  json["description"] = key.description;
  const std::string preset = default_text(key);
  if (!preset.empty() && key.default_text.empty() && key.need == Need::optional) {
    json["default"] = Json(parse_if_json(preset));
  }
  return json;
}

Json section_schema(const SectionSchema& section, Input& sample) {
  Json json{{"type", "object"},
            {"description", section.description},
            {"additionalProperties", false},
            {"properties", Json::object()}};
  Json required = Json::array();
  for (const KeySchema& key : input_keys()) {
    if (key.section != section.name) continue;
    json["properties"][std::string(key.name)] = key_schema(key, sample);
    if (key.need == Need::required && !key.condition) required.push_back(key.name);
  }
  for (const SectionSchema& inner : input_sections()) {
    if (!inner.name.starts_with(fmt::format("{}.", section.name))) continue;
    const std::string name(inner.name.substr(section.name.size() + 1));
    json["properties"][name] = section_schema(inner, sample);
  }
  if (!required.empty()) json["required"] = required;
  const Json several{{"type", "array"}, {"minItems", 1}, {"items", json}};
  if (section.may_repeat) return Json{{"anyOf", Json::array({json, several})}};
  return section.is_array ? several : json;
}

/// The schema of a section in a [[stage]]: it has the keys that change, or it is an empty list,
/// which removes all tables.
Json section_of_stage(const SectionSchema& section, Input& sample) {
  Json json = section_schema(section, sample);
  for (Json* one : {&json, json.contains("anyOf") ? &json["anyOf"][0] : &json}) {
    one->erase("required");
  }
  Json& several = json.contains("anyOf") ? json["anyOf"][1] : json;
  if (several.contains("minItems")) several["minItems"] = 0;
  return json;
}

// ---- the reference page

/// The plural of a noun: "lengths", "moments of inertia".
std::string plural(std::string_view noun) {
  const std::size_t of = noun.find(" of ");
  return fmt::format("{}s{}", noun.substr(0, of),
                     of == std::string_view::npos ? std::string_view() : noun.substr(of));
}

std::string type_text(const KeySchema& key, const Target& target) {
  if (holds<bool>(target)) return "`true` or `false`";
  if (is_integer(target)) return "integer";
  if (key.wall_clock) return "seconds";
  if (is_quantity(target)) {
    const std::string_view noun = dimension_noun(key.dimension);
    return std::string(noun.substr(noun.find(' ') + 1));
  }
  if (holds<Vec3>(target) || holds<std::optional<Vec3>>(target)) {
    const std::string_view noun = dimension_noun(key.dimension);
    return fmt::format("three {}", plural(noun.substr(noun.find(' ') + 1)));
  }
  if (holds<std::array<int, 3>>(target)) return "three integers";
  if (holds<std::vector<double>>(target)) {
    const std::string_view noun = dimension_noun(key.dimension);
    return fmt::format("list, each item {}", noun);
  }
  if (holds<Input::AtomLists>(target)) return "list of integers, or of such lists";
  std::string text;
  if (key.choices != nullptr) {
    for (const std::string_view choice : key.choices()) {
      text += fmt::format("{}`\"{}\"`", text.empty() ? "" : ", ", choice);
    }
    if (key.section == "communication") return "`\"auto\"` or a name that `sterna methods` lists";
    return is_list_of_texts(target) ? "list of " + text : text;
  }
  if (is_list_of_texts(target)) return "list of texts";
  return "text";
}

std::string default_cell(const KeySchema& key) {
  if (key.need == Need::required) return "required";
  std::string text = default_text(key);
  if (key.default_text.empty()) text = fmt::format("`{}`", text);
  if (key.need == Need::with_real_units) text += "; required with real units";
  return text;
}

std::string condition_text(const KeySchema& key) {
  if (!key.condition) return {};
  std::string values;
  for (const std::string_view value : key.condition->values) {
    values += fmt::format("{}`\"{}\"`", values.empty() ? "" : " or ", value);
  }
  const std::string where = key.condition->section == key.section
                                ? std::string()
                                : fmt::format(" in `[{}]`", key.condition->section);
  return fmt::format("Only with `{}`{} = {}. ", key.condition->key, where, values);
}

/// The rows of a section's table. `wanted(key)`: whether the key has a row.
template <class Wanted>
std::string keys_table(std::string_view section, Input& sample, Wanted&& wanted) {
  std::string page = "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const KeySchema& key : input_keys()) {
    if (key.section != section || !wanted(key)) continue;
    const Target target = key.target(sample, 0);
    const std::string range = range_text(key.range);
    page += fmt::format("| `{}` | {}{}{} | {} | {}{} |\n", key.name, type_text(key, target),
                        range.empty() ? "" : " ", range, default_cell(key), condition_text(key),
                        key.description);
  }
  return page;
}

std::string keys_table(std::string_view section, Input& sample) {
  return keys_table(section, sample, [](const KeySchema&) { return true; });
}

constexpr std::string_view input_introduction = R"(# The input file

<!-- Generated from src/md/input/input_schema.cpp; the test test_input_schema keeps it so. -->

One [TOML](https://toml.io) file describes a run. This is a whole one:

```toml
[run]
steps = 500
timestep = 0.005

[start]
kind = "lattice"
cells = [10, 10, 10]
density = 0.8442
temperature = 1.44

[[type]]
name = "A"

[interaction]
cutoff = 2.5
```

A key that is not in the tables below is an error, as is a value out of its range: `sterna check`
shows all of them at once, with line, column, and the word that was probably meant.

)";

std::string units_chapter() {
  std::string page =
      "## Numbers and units\n\nA plain number is in the unit system that `units` names. With "
      "\"nano\", \"metal\" and \"real\", a text may carry its own unit instead: `timestep = \"2 "
      "fs\"`, `epsilon = \"119.8 K\"` (times Boltzmann's constant). Reduced units have no units to "
      "write. Constants are those of CODATA 2018.\n\n| | nano | metal | real | also as text "
      "|\n|---|---|---|---|---|\n";
  for (const Dimension dimension : all_dimensions) {
    const std::string_view noun = dimension_noun(dimension);
    page += fmt::format("| {} |", noun.substr(noun.find(' ') + 1));
    for (const std::string_view system : {"nano", "metal", "real"}) {
      const std::string_view label =
          dimension == Dimension::mass_density ? "" : UnitSystem::by_name(system)->label(dimension);
      page += fmt::format(" {} |", label);
    }
    page += " ";
    std::string_view separator = "";
    for (const std::string_view name : UnitSystem::unit_names(dimension)) {
      page += fmt::format("{}{}", separator, name);
      separator = ", ";
    }
    page += " |\n";
  }
  return page;
}

}  // namespace

std::string input_json_schema() {
  Input sample = input_with_all_sections();
  Json json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", "Sterna input file"},
            {"type", "object"},
            {"additionalProperties", false},
            {"properties", Json::object()}};
  Json required = Json::array();
  for (const KeySchema& key : input_keys()) {
    if (key.section.empty()) {
      json["properties"][std::string(key.name)] = key_schema(key, sample);
    }
  }
  for (const SectionSchema& section : input_sections()) {
    if (is_inner(section)) continue;
    json["properties"][std::string(section.name)] = section_schema(section, sample);
    if (section.required) required.push_back(section.name);
  }
  Json& stage = json["properties"]["stage"]["items"]["properties"];
  for (const SectionSchema& section : input_sections()) {
    if (is_inner(section) || section.name == "stage" || is_of_all_stages(section.name)) continue;
    stage[std::string(section.name)] = section_of_stage(section, sample);
  }
  json["required"] = required;
  json["oneOf"] = Json::array({{{"required", {"type"}}}, {{"required", {"component"}}}});
  return json_text(json, 2) + "\n";
}

std::string keys_of_kind_markdown(std::string_view section, std::string_view kind) {
  Input sample = input_with_all_sections();
  return keys_table(section, sample, [&](const KeySchema& key) {
    if (key.name == "kind") return false;
    if (!key.condition || key.condition->section != section || key.condition->key != "kind") {
      return true;
    }
    return std::ranges::find(key.condition->values, kind) != key.condition->values.end();
  });
}

std::string input_reference_markdown() {
  Input sample = input_with_all_sections();
  std::string page(input_introduction);
  page += units_chapter();
  page += "\n## Before the first section\n\n" + keys_table("", sample);
  for (const SectionSchema& section : input_sections()) {
    page += fmt::format("\n## `{}`\n\n{}{}\n\n", section_label(section), section.description,
                        section.required ? " Required." : "");
    page += keys_table(section.name, sample);
  }
  return page;
}

}  // namespace sterna::md
