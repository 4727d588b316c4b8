#include "md/input/toml_document.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "md/input/syntax_error.hpp"

namespace sterna::md {
namespace {

/// Whether the parser fails on the first `lines` lines.
bool breaks_parser(const InputReading& reading, std::size_t lines) {
  const std::string_view last = reading.lines[lines - 1];
  const std::size_t end = static_cast<std::size_t>(last.data() - reading.text.data()) + last.size();
  try {
    static_cast<void>(toml::parse(reading.text.substr(0, end)));
  } catch (const TomlParserFault&) {
    return true;
  } catch (const toml::parse_error&) {
  }
  return false;
}

/// Reports a failure of the parser, which does not tell the place: the end of the shortest
/// beginning of the text that makes it fail.
void report_parser_fault(InputReading& reading) {
  std::size_t low = 1, high = reading.lines.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (breaks_parser(reading, middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  Input::Place place;
  place.line = static_cast<int>(low);
  const std::string_view line = reading.lines[low - 1];
  const std::size_t first = line.find_first_not_of(" \t");
  place.column = first == std::string_view::npos ? 1 : static_cast<int>(first) + 1;
  reading.keep_source(place, line);
  const bool header = first != std::string_view::npos && line[first] == '[';
  reading.report(Severity::error, place,
                 header ? "not valid TOML: expected a name in the brackets, as in [run] or [[type]]"
                        : "not valid TOML: this line cannot be understood");
}

}  // namespace

std::optional<toml::table> toml_document(InputReading& reading) {
  try {
    return toml::parse(reading.text, std::string_view(reading.input().path));
  } catch (const toml::parse_error& problem) {
    SyntaxError error =
        explain_syntax_error(reading.place_of(problem.source()), problem.description());
    reading.report(Severity::error, error.place, std::move(error.message));
  } catch (const TomlParserFault&) {
    report_parser_fault(reading);
  }
  return std::nullopt;
}

}  // namespace sterna::md
