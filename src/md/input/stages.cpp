#include "md/input/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/input/input_schema.hpp"
#include "md/input/integrator_row.hpp"
#include "md/input/toml_document.hpp"
#include "md/output/checkpoint_file.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

constexpr std::string_view common_sections[] = {"type", "component", "molecule", "pair", "group"};
/// Keys of [start] that a later stage may give.
constexpr std::string_view of_a_later_start[] = {"temperature", "constraints"};

template <class Names>
bool is_among(std::string_view name, const Names& names) {
  return std::ranges::find(names, name) != std::ranges::end(names);
}

/// The reason why a name cannot be part of a file name; empty: it can.
std::string wrong_name(std::string_view name) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  if (!name.empty() && std::ranges::all_of(name, is_allowed)) return {};
  return fmt::format(
      "\"name\" in [[stage]] is {}; expected letters, digits, \"_\" and \"-\", as "
      "it becomes a part of file names",
      quote(name));
}

void check_names(InputReading& reading, const toml::array& stages) {
  std::set<std::string> seen;
  for (const toml::node& node : stages) {
    const toml::table& stage = *node.as_table();
    const toml::node* const name = stage.get("name");
    if (name == nullptr) {
      reading.error(stage.source(), "[[stage]] lacks the key \"name\"");
      continue;
    }
    const auto text = name->value<std::string>();
    if (!name->is_string()) {
      reading.error(name->source(), "\"name\" in [[stage]] is not a text in quotes");
    } else if (std::string wrong = wrong_name(*text); !wrong.empty()) {
      reading.error(name->source(), std::move(wrong));
    } else if (!seen.insert(*text).second) {
      reading.error(name->source(), fmt::format("two [[stage]]s have the name {}", quote(*text)));
    }
  }
}

/// Reports a key of [[stage]] that is no section.
void report_key(InputReading& reading, const toml::key& key) {
  const std::string_view name = key.str();
  const std::string_view only[] = {"name"};
  std::string message = fmt::format("unknown key {} in [[stage]]", quote(name));
  if (comm::nearest_name(name, only)) {
    message += "; did you mean \"name\"?";
  } else if (const KeySchema* of_run = find_key("run", name)) {
    message += fmt::format("; keys of [run] belong below [stage.run]: {}", of_run->name);
  } else {
    message += "; a stage has a \"name\" and sections such as [stage.run]";
  }
  reading.error(key.source(), std::move(message));
}

/// Whether the stage may override this section; if not, reports why.
bool may_override(InputReading& reading, const toml::key& key, const toml::node& node,
                  std::size_t number) {
  const SectionSchema* const section = find_section(key.str());
  if (section == nullptr) return true;  // reported by the reader of sections
  if (is_of_all_stages(section->name) || section->name == "stage") {
    reading.error(key.source(),
                  fmt::format("[stage.{}]: all stages have the same {}; it belongs outside of "
                              "[[stage]]",
                              key.str(), section_label(*section)));
    return false;
  }
  if (section->name != "start") return true;
  const toml::table* const start = node.as_table();
  if (start == nullptr) return true;
  for (auto&& [name, value] : *start) {
    if (number > 0 && is_among(name.str(), of_a_later_start)) continue;
    reading.error(name.source(),
                  number == 0
                      ? fmt::format("the first stage starts as [start] says; {} belongs there",
                                    quote(name.str()))
                      : fmt::format("this stage starts where the one before it ends; {} belongs "
                                    "in [start]",
                                    quote(name.str())));
    return false;
  }
  return true;
}

/// Whether this part of a stage is the section and has the key.
bool gives(const toml::key& key, const toml::node& node, std::string_view section,
           std::string_view name) {
  return key.str() == section && node.is_table() && node.as_table()->contains(name);
}

/// Overwrites keys of `table` by those of `changes`.
void merge(toml::table& table, toml::table&& changes) {
  for (auto&& [key, node] : changes) table.insert_or_assign(key, std::move(node));
}

/// Overrides the section `key` of the document. `changes`: the section of the stage.
void override_section(InputReading& reading, toml::table& document, const toml::key& key,
                      toml::node&& changes) {
  toml::node* present = document.get(key.str());
  if (present != nullptr && present->is_array_of_tables() && present->as_array()->size() == 1 &&
      changes.is_table()) {
    present = present->as_array()->get(0);
  }
  if (const toml::array* const list = changes.as_array(); list != nullptr && list->empty()) {
    document.erase(key.str());
  } else if (present != nullptr && present->is_table() && changes.is_table()) {
    merge(*present->as_table(), std::move(*changes.as_table()));
  } else if (present != nullptr && present->is_array_of_tables() && changes.is_table()) {
    reading.error(key.source(),
                  fmt::format("the input has {0} [[{1}]]s; write [[stage.{1}]] for those of this "
                              "stage, which take the place of all of them",
                              present->as_array()->size(), key.str()));
  } else {
    document.insert_or_assign(key, std::move(changes));
  }
}

/// For a minimization, removes sections that only dynamics uses, unless the stage gives them
/// itself.
void leave_out_motion(toml::table& document, const std::set<std::string>& own) {
  const toml::table* const run = document["run"].as_table();
  const auto integrator = run == nullptr ? std::nullopt : (*run)["integrator"].value<std::string>();
  const IntegratorRow* const kind = integrator ? integrator_rows().find(*integrator) : nullptr;
  if (kind == nullptr || !kind->minimizes) return;
  if (!own.contains("barostat")) document.erase("barostat");
  toml::table* const neighbor = document["neighbor"].as_table();
  if (neighbor != nullptr && !own.contains("neighbor")) {
    neighbor->erase("buffer");
    neighbor->erase("tolerance");
  }
}

/// Collects the lines of a document in which this node's keys stand.
void add_lines(const toml::node& node, std::set<int>& lines) {
  if (const toml::table* const table = node.as_table()) {
    for (auto&& [key, value] : *table) {
      lines.insert(static_cast<int>(key.source().begin.line));
      add_lines(value, lines);
    }
  } else if (const toml::array* const array = node.as_array()) {
    for (const toml::node& item : *array) add_lines(item, lines);
  }
}

/// Drops warnings about a line outside of the stages unless all stages give them, because a key
/// without effect in one stage may have an effect in another.
void drop_warnings_of_some_stages(std::vector<StageInput>& stages,
                                  const std::set<int>& lines_of_stages) {
  std::map<std::pair<int, std::string>, std::size_t> counts;
  for (const StageInput& stage : stages) {
    for (const Diagnostic& found : stage.read.diagnostics) ++counts[{found.line, found.message}];
  }
  for (StageInput& stage : stages) {
    std::erase_if(stage.read.diagnostics, [&](const Diagnostic& found) {
      return found.severity == Severity::warning && found.line > 0 &&
             !lines_of_stages.contains(found.line) &&
             counts[{found.line, found.message}] < stages.size();
    });
  }
}

/// Sets the start of a stage after the first.
void start_from(Input& input, const Input& previous) {
  // The temperature of [start] is for the first stage. A later one uses it only if the stage before
  // was a minimization, or if it gives a temperature itself.
  const bool draws = previous.minimizes() || input.stage.draws_velocities;
  StartSection start;
  start.kind = StartKind::file;
  start.format = "checkpoint";
  start.file = std::filesystem::absolute(checkpoint_path(output_stem(previous))).string();
  if (draws) start.temperature = input.start.temperature;
  start.constraints = input.start.constraints;
  input.start = std::move(start);
  // Random numbers follow from seed and step. The steps of each stage begin at 0, so each needs
  // another seed.
  constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15U;
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!input.stage.has_own_seed) {
    // A number that an input file may have.
    input.run.seed = (input.run.seed + input.stage.number * golden_ratio) & largest;
  }
}

/// The table of a section of a document, which may lack it.
toml::table& table_in(toml::table& document, std::string_view section) {
  if (!document.contains(section)) document.insert(section, toml::table());
  return *document[section].as_table();
}

}  // namespace

bool is_of_all_stages(std::string_view section) {
  return is_among(section, common_sections);
}

std::vector<std::string> stage_names(const toml::table& document) {
  std::vector<std::string> names;
  if (!document["stage"].is_array_of_tables()) return names;  // reported by the reader of sections
  for (const toml::node& stage : *document["stage"].as_array()) {
    names.push_back((*stage.as_table())["name"].value_or(std::string()));
  }
  return names;
}

void take_stage(InputReading& reading, toml::table& document, std::size_t number) {
  toml::array stages = std::move(*document["stage"].as_array());
  document.erase("stage");
  check_names(reading, stages);
  toml::table& stage = *stages.get(number)->as_table();
  reading.input().stage.name = stage["name"].value_or(std::string());
  reading.input().stage.number = number;
  std::set<std::string> own;
  for (auto&& [key, node] : stage) {
    if (key.str() == "name") continue;
    const bool is_section = node.is_table() || node.is_array();
    if (!is_section) {
      report_key(reading, key);
    } else if (may_override(reading, key, node, number)) {
      own.insert(std::string(key.str()));
      StageSection& found = reading.input().stage;
      found.draws_velocities |= gives(key, node, "start", "temperature");
      found.has_own_seed |= gives(key, node, "run", "seed");
      override_section(reading, document, key, std::move(node));
    }
  }
  leave_out_motion(document, own);
}

std::vector<StageInput> read_stages(std::string_view text, std::string_view name,
                                    bool look_at_files, std::optional<std::int64_t> steps) {
  InputReading reading(text, name);
  const std::optional<toml::table> document = toml_document(reading);
  const std::vector<std::string> names =
      document ? stage_names(*document) : std::vector<std::string>();
  std::vector<StageInput> stages;
  if (names.empty()) {
    stages.push_back({"", read_input_text(text, name, look_at_files, steps)});
    return stages;
  }
  std::set<int> lines;
  add_lines(*document->get("stage"), lines);
  for (std::size_t number = 0; number < names.size(); ++number) {
    ReadResult read = read_stage_text(text, name, number, look_at_files);
    if (number > 0) start_from(read.input, stages.back().read.input);
    stages.push_back({names[number], std::move(read)});
  }
  drop_warnings_of_some_stages(stages, lines);
  if (steps) {
    ReadResult& first = stages.front().read;
    first.diagnostics.push_back(diagnose(
        first.input, Severity::error, "",
        "the input has stages, each with steps of its own: --steps does not say of which"));
  }
  return stages;
}

std::string stage_text(std::string_view text, std::string_view name, const StageInput& stage) {
  InputReading reading(text, name);
  toml::table document = *toml_document(reading);
  const Input& input = stage.read.input;
  take_stage(reading, document, input.stage.number);
  toml::table& run = table_in(document, "run");
  run.insert_or_assign("name", input.run.name);
  if (input.stage.number > 0) {
    run.insert_or_assign("seed", static_cast<std::int64_t>(input.run.seed));
    toml::table& start = table_in(document, "start");
    toml::table later{{"kind", "file"}, {"format", "checkpoint"}, {"file", input.start.file}};
    for (const std::string_view key : of_a_later_start) {
      if (key == "temperature" && !input.start.temperature) continue;
      if (const toml::node* const kept = start.get(key)) later.insert(key, *kept);
    }
    start = std::move(later);
  }
  std::ostringstream made;
  made << toml::toml_formatter(document) << '\n';
  return made.str();
}

std::vector<StageInput> read_stages_of_file(const std::string& path) {
  ReadResult failure;
  const auto text = input_file_text(path, failure);
  if (text) return read_stages(*text, path);
  std::vector<StageInput> stages;
  stages.push_back({"", std::move(failure)});
  return stages;
}

}  // namespace sterna::md
