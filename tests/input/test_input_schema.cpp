#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "md/domain/halo_plan.hpp"
#include "md/input/input_schema.hpp"
#include "md/input/read_input.hpp"
#include "md/input/schema_export.hpp"
#include "sterna/comm/methods.hpp"

using namespace sterna::md;

TEST_CASE("the table is complete and consistent") {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  Input input = input_with_all_sections();
  for (const KeySchema& key : input_keys()) {
    INFO(key.section, ".", key.name);
    CHECK(seen.insert({key.section, key.name}).second);
    CHECK(key.description.ends_with("."));
    REQUIRE(static_cast<bool>(key.target != nullptr));
    const Target target = key.target(input, 0);
    CHECK((key.section.empty() || find_section(key.section) != nullptr));
    CHECK_FALSE(expectation(key, input.units).empty());
    if (const auto* choice = std::get_if<ChoiceTarget>(&target)) {
      REQUIRE(static_cast<bool>(key.choices != nullptr));
      CHECK(key.choices() == choice->names());
      CHECK(choice->get(choice->place).value_or(0) < key.choices().size());
    }
    if (key.condition) {
      const KeySchema* decider = find_key(key.condition->section, key.condition->key);
      REQUIRE(decider != nullptr);
      const auto choices = decider->choices();
      for (const auto value : key.condition->values) {
        CHECK(std::ranges::find(choices, value) != choices.end());
      }
      const Target deciding = decider->target(input, 0);
      CHECK((std::holds_alternative<std::string*>(deciding) ||
             std::holds_alternative<ChoiceTarget>(deciding)));
    }
    // A default must be one of the choices.
    if (key.choices != nullptr && key.need != Need::required) {
      auto* const* text = std::get_if<std::string*>(&target);
      if (text != nullptr && (!(**text).empty() || key.default_text.empty())) {
        const auto choices = key.choices();
        CHECK(std::ranges::find(choices, **text) != choices.end());
      }
    }
  }
  for (const SectionSchema& section : input_sections()) CHECK(section.description.ends_with("."));
}

TEST_CASE("names that other folders own are the same here") {
  const auto halos = find_key("domain", "halo_route")->choices();
  for (const HaloRoute& route : halo_routes()) {
    CHECK(std::ranges::find(halos, route.name) != halos.end());
  }
  CHECK(halos.size() == halo_routes().size());
  CHECK(find_key("communication", "halo")->choices().size() ==
        sterna::comm::neighbor_methods().size() + 1);
  CHECK(find_key("communication", "migration")->choices().size() ==
        sterna::comm::sparse_methods().size() + 1);
}

TEST_CASE("no alias hides a key or stands for two") {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const KeySchema& key : input_keys()) {
    for (const std::string_view alias : key.aliases) {
      INFO(key.section, ".", alias);
      CHECK(find_key(key.section, alias) == nullptr);
      CHECK(seen.insert({key.section, alias}).second);
    }
  }
  for (const SectionSchema& section : input_sections()) {
    for (const std::string_view alias : section.aliases) CHECK(find_section(alias) == nullptr);
  }
}

TEST_CASE("JSON Schema") {
  const auto json = nlohmann::json::parse(input_json_schema());
  CHECK(json["additionalProperties"] == false);
  CHECK(json["required"] == nlohmann::json({"run", "start", "interaction"}));
  CHECK(json["oneOf"][0]["required"] == nlohmann::json::array({"type"}));
  CHECK(json["oneOf"][1]["required"] == nlohmann::json::array({"component"}));
  CHECK(json["properties"]["run"]["required"] == nlohmann::json({"steps"}));
  CHECK(json["properties"]["run"]["properties"]["precision"]["default"] == "double");
  CHECK(json["properties"]["type"]["type"] == "array");
  std::size_t keys = 0;
  for (const auto& [name, section] : json["properties"].items()) {
    if (name == "units" || name == "stage") {
      ++keys;  // a stage has a name, and the sections that it changes
    } else {
      const auto& one = section.contains("anyOf") ? section["anyOf"][0] : section;
      keys += (one.contains("items") ? one["items"] : one)["properties"].size();
    }
  }
  const auto& stage = json["properties"]["stage"]["items"]["properties"];
  CHECK(stage["run"]["properties"] == json["properties"]["run"]["properties"]);
  CHECK_FALSE(stage["run"].contains("required"));
  CHECK_FALSE(stage.contains("type"));
  const auto& component = json["properties"]["component"]["items"]["properties"];
  CHECK(component["model"]["enum"].size() == find_key("component", "model")->choices().size());
  CHECK(component["site"]["items"]["required"] == nlohmann::json::array({"kind"}));
  CHECK(component["site"]["items"]["properties"]["position"]["minItems"] == 3);
  for (const SectionSchema& inner : input_sections()) {
    if (!is_inner(inner)) continue;
    const std::string outer(inner.name.substr(0, inner.name.find('.')));
    const std::string name(inner.name.substr(outer.size() + 1));
    const auto& of_outer = json["properties"][outer]["items"]["properties"];
    keys += of_outer[name]["items"]["properties"].size() - 1;  // "site" is no key itself
  }
  CHECK(keys == input_keys().size());
}

TEST_CASE("docs/input.md is what the table says") {
  const std::string path = std::string(STERNA_SOURCE_DIR) + "/docs/input.md";
  if (std::getenv("STERNA_UPDATE_EXPECTED") != nullptr) {
    std::ofstream(path) << input_reference_markdown();
  }
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  INFO("run this test with STERNA_UPDATE_EXPECTED=1 to write docs/input.md anew");
  CHECK(text.str() == input_reference_markdown());
}

TEST_CASE("the input in the docs is valid") {
  const std::string page = input_reference_markdown();
  const auto begin = page.find("```toml\n") + 8;
  const auto result =
      read_input_text(page.substr(begin, page.find("```", begin) - begin), "docs.toml");
  INFO(render(result.diagnostics));
  CHECK(result.diagnostics.empty());
}
