#include "md/input/input_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "md/core/display_text.hpp"

namespace sterna::md {
namespace {

constexpr std::size_t most_diagnostics = 100;  // more would not be read; bounds the time
constexpr std::size_t longest_line = 1000;     // bytes kept of a source line

}  // namespace

InputReading::InputReading(std::string_view all, std::string_view name) : text(all) {
  result.input.path = name;
  if (all.starts_with("\xef\xbb\xbf")) all.remove_prefix(3);
  while (true) {
    const std::size_t end = all.find('\n');
    std::string_view line = all.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    all.remove_prefix(end + 1);
  }
}

Input::Place InputReading::place_of(const toml::source_region& region) const {
  Input::Place place;
  const auto line = static_cast<std::size_t>(region.begin.line);
  if (line == 0 || line > lines.size()) return place;
  place.line = static_cast<int>(line);
  place.column = static_cast<int>(region.begin.column);
  if (region.end.line == region.begin.line && region.end.column > region.begin.column) {
    place.length = static_cast<int>(region.end.column - region.begin.column);
  }
  keep_source(place, lines[line - 1]);
  return place;
}

bool InputReading::is_ascii(std::string_view line) const {
  if (line.data() != last_long_line_.data()) {
    last_long_line_ = line;
    last_is_ascii_ =
        std::ranges::all_of(line, [](char c) { return static_cast<unsigned char>(c) < 0x80u; });
  }
  return last_is_ascii_;
}

SharedText InputReading::shared(std::string_view source) const {
  if (source.data() != last_source_.data() || source.size() != last_source_.size()) {
    last_source_ = source;
    last_shared_ = std::string(source);
  }
  return last_shared_;
}

/// Keeps only a part of very long lines, because a file may be a line of a million characters with
/// many thousand places.
void InputReading::keep_source(Input::Place& place, std::string_view line) const {
  if (line.size() <= longest_line) {
    place.source_line = shared(line);
    return;
  }
  const bool ascii = is_ascii(line);
  const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; };
  std::size_t at = 0;  // the byte where the column begins
  if (ascii) {
    at = std::min(static_cast<std::size_t>(std::max(place.column, 1)) - 1, line.size());
  } else {
    for (int column = 0; at < line.size(); ++at) {
      if (is_start(line[at]) && ++column == place.column) break;
    }
  }
  // Parts begin at multiples of a quarter of their length, so that neighboring places share them.
  std::size_t begin = at > longest_line / 2 ? at - longest_line / 2 : 0;
  begin -= begin % (longest_line / 4);
  while (!ascii && begin < line.size() && !is_start(line[begin])) ++begin;
  const auto before =
      static_cast<std::size_t>(ascii ? static_cast<std::ptrdiff_t>(begin)
                                     : std::ranges::count_if(line.substr(0, begin), is_start));
  place.source_line = shared(line.substr(begin, longest_line));
  place.source_column = 1 + static_cast<int>(before);
}

Input::Place InputReading::place_named(std::string_view name) const {
  const auto place = input().places.find(name);
  if (place != input().places.end()) return place->second;
  // If a key such as "start.cells" is missing, the place of its section is used.
  const std::size_t point = name.rfind('.');
  return point == std::string_view::npos ? Input::Place{} : place_named(name.substr(0, point));
}

void InputReading::report(Severity severity, const Input::Place& place, std::string message) {
  ++findings;
  if (is_full()) {
    more_errors = more_errors || severity == Severity::error;
    return;
  }
  result.diagnostics.push_back({severity, input().path, place.line, place.column, place.length,
                                std::move(message), place.source_line, place.source_column});
}

void InputReading::error(const toml::source_region& region, std::string message) {
  report(Severity::error, is_full() ? Input::Place{} : place_of(region), std::move(message));
}

bool InputReading::is_full() const {
  return result.diagnostics.size() >= most_diagnostics;
}

std::string found(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return quote(node.ref<std::string>());
    case toml::node_type::integer:
      return fmt::format("{}", node.ref<std::int64_t>());
    case toml::node_type::floating_point:
      return fmt::format("{}", node.ref<double>());
    case toml::node_type::boolean:
      return node.ref<bool>() ? "true" : "false";
    case toml::node_type::array: {
      const std::size_t count = node.as_array()->size();
      return fmt::format("a list of {} value{}", count, count == 1 ? "" : "s");
    }
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

}  // namespace sterna::md
