#include "md/input/meant_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sterna/comm/joined.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

/// As `meant_section`, among sections whose names begin with `prefix`, for the part behind it.
const SectionSchema* meant_section_behind(std::string_view prefix, std::string_view name) {
  std::vector<std::string_view> names;
  for (const SectionSchema& section : input_sections()) {
    if (!section.name.starts_with(prefix)) continue;
    if (std::ranges::find(section.aliases, name) != section.aliases.end()) return &section;
    names.push_back(section.name.substr(prefix.size()));
  }
  const auto near = comm::nearest_name(name, names);
  return near ? find_section(std::string(prefix) + std::string(*near)) : nullptr;
}

template <class Holds>
std::string sections_where(Holds&& holds) {
  std::vector<std::string> labels;
  for (const KeySchema& key : input_keys()) {
    if (holds(key)) labels.push_back(section_label(*find_section(key.section)));
  }
  return comm::joined(labels, " or ");
}

}  // namespace

bool is_alias(const KeySchema& key, std::string_view name) {
  return std::ranges::find(key.aliases, name) != key.aliases.end();
}

const SectionSchema* meant_section(std::string_view name) {
  return meant_section_behind("", name);
}

const SectionSchema* meant_inner_section(const SectionSchema& outer, std::string_view name) {
  return meant_section_behind(fmt::format("{}.", outer.name), name);
}

std::vector<const KeySchema*> meant_keys(std::string_view section, std::string_view name,
                                         const toml::table& table) {
  std::vector<std::string_view> names;
  std::vector<const KeySchema*> meant;
  for (const KeySchema& key : input_keys()) {
    if (key.section != section) continue;
    if (is_alias(key, name)) meant = {&key};
    names.push_back(key.name);
  }
  const auto near = comm::nearest_name(name, names);
  if (near && (meant.empty() || meant[0]->name != *near)) {
    meant.push_back(find_key(section, *near));
  }
  const auto given = [&](const KeySchema* key) { return table.contains(key->name); };
  if (meant.size() == 2 && given(meant[0]) != given(meant[1])) std::erase_if(meant, given);
  if (meant.size() == 2 && given(meant[0])) meant.resize(1);
  return meant;
}

std::string sections_with(std::string_view name) {
  return sections_where(
      [&](const KeySchema& key) { return key.name == name && !key.section.empty(); });
}

std::string sections_with_choice(std::string_view name, std::string_view choice) {
  return sections_where([&](const KeySchema& key) {
    if (key.name != name || key.choices == nullptr) return false;
    const auto choices = key.choices();
    return std::ranges::find(choices, choice) != choices.end();
  });
}

}  // namespace sterna::md
