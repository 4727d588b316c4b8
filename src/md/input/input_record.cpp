#include "md/input/input_record.hpp"
#include "md/core/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <span>
#include <string_view>

#include "md/core/checksum.hpp"
#include "md/input/input_schema.hpp"
#include "md/input/input_text.hpp"
#include "md/input/physics_row.hpp"
#include "md/input/read_input.hpp"
#include "md/input/topology_from_input.hpp"
#include "md/output/atomic_file.hpp"

namespace sterna::md {
namespace {

std::string hash_text(std::string_view text) {
  return fmt::format("{:016x}", xxh64(std::as_bytes(std::span(text.data(), text.size()))));
}

/// Identifies a start file by its size and by both of its ends, because a large file cannot be read
/// again at each resume.
Json file_record(const std::string& path) {
  constexpr std::uint64_t end_bytes = 1 << 20;
  const RawFile file(path, RawFile::Mode::read);
  const std::uint64_t size = file.size();
  std::string text(std::min(size, 2 * end_bytes), '\0');
  const auto bytes = std::as_writable_bytes(std::span(text));
  const std::size_t head = std::min<std::uint64_t>(bytes.size(), end_bytes);
  file.read_at(0, bytes.first(head));
  file.read_at(size - (bytes.size() - head), bytes.subspan(head));
  // Objects are compared with their order of keys, which earlier versions wrote alphabetically.
  return {{"bytes", size}, {"hash", hash_text(text)}};
}

/// Identifies a configuration of ls1-MarDyn, which is also a start file, by its part about the
/// start.
Json configuration_record(const std::string& path) {
  const RawFile file(path, RawFile::Mode::read);
  std::string text(file.size(), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  const std::size_t begin = text.find("<ensemble");
  const std::size_t end = text.find("</ensemble>");
  if (begin != std::string::npos && end != std::string::npos && begin < end) {
    text = text.substr(begin, end - begin);
  }
  return {{"hash", hash_text(text)}};
}

/// The section of a place: "type" for "type[0].sigma".
std::string section_of(std::string_view place) {
  const std::size_t point = place.rfind('.');
  if (point == std::string_view::npos) return {};
  std::string section;
  bool inside = false;
  for (const char c : place.substr(0, point)) {
    inside = c == '[' || (inside && c != ']');
    if (!inside && c != ']') section += c;
  }
  return section;
}

/// Whether the place is in a molecule. Molecules are compared as a whole, because large ones have
/// many places.
bool is_of_molecule(std::string_view place) {
  return section_of(place).starts_with("molecule");
}

/// Whether the key belongs to a single format of start files.
bool is_of_a_format(std::string_view place) {
  constexpr std::string_view start = "start.";
  if (!place.starts_with(start)) return false;
  const KeySchema* key = find_key("start", place.substr(start.size()));
  return key != nullptr && key->condition && key->condition->key == "format";
}

/// Whether a change of this value makes another system.
bool is_of_system(std::string_view place) {
  if (place == "units" || place == "interaction.potential" || place == "interaction.mixing") {
    return true;
  }
  // A continued run keeps its velocities, so a changed start temperature does not change the
  // system.
  if (place == "start.temperature") return false;
  // The path and format of the start file do not matter, because its content is compared.
  if (place == "start.file" || place == "start.format" || is_of_a_format(place)) return false;
  const std::string section = section_of(place);
  constexpr std::array sections{"start", "type", "component", "component.site", "pair"};
  return std::ranges::find(sections, section) != sections.end();
}

/// Whether a change of this value keeps the sampled state.
bool keeps_state(std::string_view place) {
  if (place == "run.name" || place == "run.steps" || place == "run.precision" ||
      place == "interaction.kernel") {
    return true;
  }
  const SectionSchema* section = find_section(section_of(place));
  return section != nullptr && section->keeps_state;
}

const KeySchema* key_of(std::string_view place) {
  const std::size_t point = place.rfind('.');
  const std::string_view name = point == std::string_view::npos ? place : place.substr(point + 1);
  return find_key(section_of(place), name);
}

/// A value in the form that a user would write.
std::string shown(std::string_view place, const std::string& value, const UnitSystem& units) {
  const KeySchema* key = key_of(place);
  if (key == nullptr || key->dimension == Dimension::none || units.is_reduced()) return value;
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  return end != value.c_str() && *end == '\0' ? units.text(number, key->dimension) : value;
}

/// A sorted map, because finding a key in a JSON object takes linear time.
using TextOfPlace = std::map<std::string, std::string>;

TextOfPlace texts_of(const Json& keys) {
  TextOfPlace texts;
  for (const auto& [place, value] : keys.items()) texts.emplace(place, value.get<std::string>());
  return texts;
}

/// Whether two texts are equal, or are numbers that differ only by the rounding of a conversion of
/// units.
bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  char *end_a = nullptr, *end_b = nullptr;
  const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
  if (end_a == a.c_str() || *end_a != '\0' || end_b == b.c_str() || *end_b != '\0') return false;
  return std::fabs(x - y) <= 1e-13 * std::max(std::fabs(x), std::fabs(y));
}

/// The meaning of a key that an input does not give.
std::string without(std::string_view place) {
  const KeySchema* key = key_of(place);
  const std::string meaning = key != nullptr ? default_text(*key) : std::string();
  return meaning.empty() ? "not given" : meaning;
}

}  // namespace

Json input_record(const Input& input) {
  TextOfPlace keys;
  for (const GivenKey& given : given_keys(input)) {
    if (!is_of_molecule(given.place)) keys[given.place] = given.value;
  }
  Json record = {{"keys", keys}};
  if (!input.molecules.empty()) record["molecules"] = hash_text(molecules_text(input));
  if (input.start.kind == StartKind::file) {
    const std::string path = start_file_path(input);
    record["start_file"] = path.ends_with(".xml") ? configuration_record(path) : file_record(path);
  }
  for (const PhysicsRow& physics : physics_rows()) {
    for (const ParameterFile& file : physics.files) {
      const std::string text = file.text(input);
      if (!text.empty()) record[std::string(file.name)] = hash_text(text);
    }
  }
  return record;
}

InputChanges compare_inputs(const Json& record, const Json& now, const UnitSystem& units) {
  InputChanges changes;
  const TextOfPlace before_keys = texts_of(record.at("keys")), now_keys = texts_of(now.at("keys"));
  std::set<std::string> places;
  for (const TextOfPlace* keys : {&before_keys, &now_keys}) {
    for (const auto& [place, value] : *keys) places.insert(place);
  }
  for (const std::string& place : places) {
    const auto text = [&](const TextOfPlace& keys) {
      const auto found = keys.find(place);
      return found == keys.end() ? without(place) : shown(place, found->second, units);
    };
    const auto before = before_keys.find(place), after = now_keys.find(place);
    if (before != before_keys.end() && after != now_keys.end() &&
        same_value(before->second, after->second)) {
      continue;
    }
    const std::string line =
        fmt::format("{}: {} in the checkpoint, now {}", place, text(before_keys), text(now_keys));
    if (is_of_system(place)) {
      changes.system.push_back(line);
    } else {
      changes.settings.push_back(line);
      changes.sections.insert(section_of(place));
      changes.places.insert(place);
      changes.other_state = changes.other_state || !keeps_state(place);
      changes.timestep = changes.timestep || place == "run.timestep";
    }
  }
  std::vector<std::pair<std::string, std::string_view>> contents{{"start_file", "the start file"}};
  for (const PhysicsRow& physics : physics_rows()) {
    for (const ParameterFile& file : physics.files) contents.emplace_back(file.name, file.phrase);
  }
  contents.emplace_back("molecules", "a [[molecule]]");
  for (const auto& [name, what] : contents) {
    const Json before = record.value(name, Json()), after = now.value(name, Json());
    if (before != after) {
      changes.system.push_back(fmt::format("{} has another content than when the run began", what));
    }
  }
  return changes;
}

}  // namespace sterna::md
