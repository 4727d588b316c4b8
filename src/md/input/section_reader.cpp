#include "md/input/section_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/input/meant_names.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

std::string shortened(std::string_view name) {
  const std::string quoted = quote(name);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace

void SectionReader::read_document(const toml::table& document) {
  if (const toml::node* units = document.get("units")) values_.read_units(*units);
  for (auto&& [key, node] : document) read_top_level(key, node);
}

void SectionReader::read_top_level(const toml::key& key, const toml::node& node) {
  if (const KeySchema* known = find_key("", key.str())) {
    remember(std::string(known->name), key.source(), node);
    return;
  }
  const SectionSchema* section = find_section(key.str());
  if (section == nullptr || is_inner(*section)) {
    if (node.is_table() || node.is_array_of_tables()) {
      unknown_section(key, node);
    } else {
      unknown_top_level_key(key);
    }
    return;
  }
  const bool several = section->may_repeat && node.is_array_of_tables();
  if (section->is_array || several) {
    read_tables(*section, key, node, "", 0);
  } else if (const toml::table* one = node.as_table(); one != nullptr && section->may_repeat) {
    make_tables(*section, 1, 0);
    read_section(*section, *one, fmt::format("{}[0]", section->name), 0, key.source());
  } else if (const toml::table* table = node.as_table()) {
    read_section(*section, *table, section->name, 0, key.source());
  } else {
    wrong_shape(*section, key, node);
  }
}

/// Reads all tables [[section]]. Inner sections are in the table `outer` of another section, whose
/// place `outer_place` ends with a point.
void SectionReader::read_tables(const SectionSchema& section, const toml::key& key,
                                const toml::node& node, std::string_view outer_place,
                                std::size_t outer) {
  const toml::array* array = node.as_array();
  const bool all_tables =
      array != nullptr && !array->empty() &&
      std::ranges::all_of(*array, [](const toml::node& n) { return n.is_table(); });
  if (!all_tables) {
    wrong_shape(section, key, node);
    return;
  }
  if (array->size() > section.tables.most) {
    reading_.error(key.source(), fmt::format("there are {} sections {}{}; expected at most {}",
                                             array->size(), section_label(section),
                                             outer_place.empty() ? "" : " of one component",
                                             section.tables.most));
    reading_.present.insert(section.name);
    return;
  }
  const std::size_t first = make_tables(section, array->size(), outer);
  for (std::size_t i = 0; i < array->size(); ++i) {
    const toml::table& table = *array->get(i)->as_table();
    const std::string place = fmt::format("{}{}[{}]", outer_place, key.str(), i);
    read_section(section, table, place, first + i, table.source());
  }
}

/// Makes so many tables of a section; returns the index of the first.
std::size_t SectionReader::make_tables(const SectionSchema& section, std::size_t count,
                                       std::size_t outer) {
  section.tables.resize(reading_.input(), outer, count);
  if (!is_inner(section)) return 0;
  std::size_t& made = made_[section.name];
  return std::exchange(made, made + count);
}

void SectionReader::wrong_shape(const SectionSchema& section, const toml::key& key,
                                const toml::node& node) {
  reading_.present.insert(section.name);
  std::string message = fmt::format("\"{}\" is {}; expected a section {}", key.str(), found(node),
                                    section_label(section));
  if (section.is_array && node.is_table()) {
    message = fmt::format("[{0}] stands for a list; write [[{0}]]", section.name);
  } else if (!section.is_array && node.is_array_of_tables()) {
    message = fmt::format("[[{0}]] may stand only once; write [{0}]", section.name);
  }
  reading_.error(node.is_table() && node.source().begin.line > 0 ? node.source() : key.source(),
                 std::move(message));
}

void SectionReader::unknown_section(const toml::key& key, const toml::node& node) {
  const std::string name = shortened(key.str());
  std::string message =
      fmt::format("unknown section {}",
                  node.is_table() ? fmt::format("[{}]", name) : fmt::format("[[{}]]", name));
  if (const SectionSchema* meant = meant_section(key.str())) {
    message += fmt::format("; did you mean {}?", section_label(*meant));
    reading_.excused.insert(std::string(meant->name));
  } else {
    message += "; the sections are";
    std::string_view separator = " ";
    for (const SectionSchema& section : input_sections()) {
      message += fmt::format("{}{}", std::exchange(separator, ", "), section_label(section));
    }
  }
  reading_.error(key.source(), std::move(message));
}

void SectionReader::unknown_top_level_key(const toml::key& key) {
  const std::string_view name = key.str();
  std::string message = fmt::format("unknown key {} before the first section", quote(name));
  const std::string_view only[] = {"units"};
  if (comm::nearest_name(name, only) || is_alias(*find_key("", "units"), name)) {
    message += "; did you mean \"units\"?";
  } else if (const auto home = sections_with(name); !home.empty()) {
    message += fmt::format("; it belongs in {}", home);
  } else {
    message += "; only \"units\" may stand there";
  }
  reading_.error(key.source(), std::move(message));
}

void SectionReader::read_section(const SectionSchema& section, const toml::table& table,
                                 std::string_view place, std::size_t index,
                                 const toml::source_region& key_source) {
  reading_.present.insert(section.name);
  reading_.instances.push_back({&section, std::string(place), index});
  remember(std::string(place), key_source, table);
  for (auto&& [key, node] : table) {
    const std::string key_place = fmt::format("{}.{}", place, key.str());
    if (const KeySchema* known = find_key(section.name, key.str())) {
      remember(key_place, key.source(), node);
      values_.read(*known, index, node, key_place);
    } else if (const auto* inner = find_section(fmt::format("{}.{}", section.name, key.str()))) {
      remember(key_place, key.source(), node);
      read_tables(*inner, key, node, fmt::format("{}.", place), index);
    } else {
      unknown_key(section, place, key, table);
    }
  }
}

/// Stores the place of a key or section. For a table the place covers its header only.
void SectionReader::remember(std::string place, const toml::source_region& key_source,
                             const toml::node& node) {
  const bool has_source = node.source().begin.line > 0;
  reading_.input().places[std::move(place)] =
      reading_.place_of(has_source ? node.source() : key_source);
}

void SectionReader::unknown_key(const SectionSchema& section, std::string_view place,
                                const toml::key& key, const toml::table& table) {
  if (reading_.is_full()) return reading_.error(key.source(), {});
  const std::string_view name = key.str();
  std::string message = fmt::format("unknown key {} in {}", quote(name), section_label(section));
  if (const SectionSchema* inner = meant_inner_section(section, name)) {
    message += fmt::format("; did you mean {}?", section_label(*inner));
    reading_.error(key.source(), std::move(message));
    return;
  }
  auto meant = meant_keys(section.name, name, table);
  const std::string elsewhere = sections_with(name);
  if (!meant.empty()) {
    std::string_view separator = "; did you mean ";
    for (const KeySchema* known : meant) {
      message += fmt::format("{}\"{}\"", std::exchange(separator, " or "), known->name);
      reading_.excused.insert(fmt::format("{}.{}", place, known->name));
    }
    message += "?";
    const bool by_alias = is_alias(*meant.front(), name);
    if (by_alias && !elsewhere.empty()) {
      message += fmt::format(" {} belongs in {}", quote(name), elsewhere);
    }
  } else if (!elsewhere.empty()) {
    message += fmt::format("; it belongs in {}", elsewhere);
  } else if (name == "units") {
    message += "; it belongs before the first section";
  } else {
    message += "; the keys are";
    std::string_view separator = " ";
    for (const KeySchema& known : input_keys()) {
      if (known.section != section.name) continue;
      message += fmt::format("{}\"{}\"", std::exchange(separator, ", "), known.name);
    }
  }
  reading_.error(key.source(), std::move(message));
}

}  // namespace sterna::md
