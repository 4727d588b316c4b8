#include "md/input/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "md/core/display_text.hpp"

namespace sterna::md {
namespace {

constexpr std::size_t widest = 120;  // characters of a source line that are shown

struct Style {
  std::string_view label, bold, off;
};

Style style_of(Severity severity, bool color) {
  if (!color) return {"", "", ""};
  const std::string_view label = severity == Severity::error     ? "\x1b[1;31m"
                                 : severity == Severity::warning ? "\x1b[1;35m"
                                                                 : "\x1b[1;36m";
  return {label, "\x1b[1m", "\x1b[0m"};
}

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::advice:
      return "advice";
  }
  return "error";
}

std::string source_with_caret(const Diagnostic& diagnostic, const Style& style) {
  auto characters = display_characters(diagnostic.source_line);
  const int source_column = std::max(diagnostic.source_column, 1);
  std::size_t at = static_cast<std::size_t>(std::max(diagnostic.column - source_column, 0));
  at = std::min(at, characters.size());
  std::string before, after;
  if (characters.size() > widest) {
    const std::size_t from = at > widest / 2 ? at - widest / 2 : 0;
    const std::size_t to = std::min(characters.size(), from + widest);
    if (to < characters.size()) after = "...";
    if (from > 0 || source_column > 1) before = "...";
    characters = {characters.begin() + static_cast<std::ptrdiff_t>(from),
                  characters.begin() + static_cast<std::ptrdiff_t>(to)};
    at -= from;
  }
  std::string source = before, carets(before.size(), ' ');
  const std::size_t end = at + static_cast<std::size_t>(std::max(diagnostic.length, 1));
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const DisplayCharacter& character = characters[i];
    source += character.text;
    if (i < at) {
      // A tab is written under a tab, so that the caret is right for any tab stops of the terminal.
      if (character.width < 0) carets += '\t';
      if (character.width > 0) carets.append(static_cast<std::size_t>(character.width), ' ');
    } else if (i < end && character.width > 0) {
      carets.append(static_cast<std::size_t>(character.width), '~');
    }
  }
  source += after;
  std::size_t first = carets.find('~');
  if (first == std::string::npos) {
    first = carets.size();
    carets += '~';
  }
  carets[first] = '^';
  return fmt::format("{:5} | {}\n      | {}{}{}{}\n", diagnostic.line, source,
                     carets.substr(0, first), style.label, carets.substr(first), style.off);
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::string render(const Diagnostic& diagnostic, bool color) {
  const Style style = style_of(diagnostic.severity, color);
  std::string place = printable(diagnostic.file);
  if (diagnostic.line > 0) {
    place += fmt::format(":{}:{}", diagnostic.line, std::max(diagnostic.column, 1));
  }
  if (!place.empty()) place += ": ";
  std::string text =
      fmt::format("{}{}{}{}{}:{} {}\n", style.bold, place, style.off, style.label,
                  name_of(diagnostic.severity), style.off, printable(diagnostic.message));
  if (diagnostic.line > 0) text += source_with_caret(diagnostic, style);
  return text;
}

std::string render(std::span<const Diagnostic> diagnostics, bool color) {
  if (diagnostics.empty()) return {};
  std::string text;
  std::size_t count[3] = {0, 0, 0};
  for (const Diagnostic& diagnostic : diagnostics) {
    text += render(diagnostic, color);
    ++count[static_cast<std::size_t>(diagnostic.severity)];
  }
  std::string summary;
  const auto add = [&summary](std::string part) {
    summary += (summary.empty() ? "" : ", ") + std::move(part);
  };
  if (count[0] > 0) add(counted(count[0], "error", "errors"));
  if (count[1] > 0) add(counted(count[1], "warning", "warnings"));
  if (count[2] > 0) add(counted(count[2], "piece of advice", "pieces of advice"));
  return text + summary + "\n";
}

Diagnostic diagnostic_in_line(std::string file, std::int64_t number, std::string_view line,
                              std::string_view part, Severity severity, std::string message) {
  const auto begins_character = [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
  };
  const auto characters = [&](std::string_view text) {
    return static_cast<int>(std::ranges::count_if(text, begins_character));
  };
  const auto before = static_cast<std::size_t>(part.data() - line.data());
  // Of a very long line only the part around the place is shown, cut between characters.
  constexpr std::size_t shown = 1000;
  std::size_t from = before > shown ? before - shown : 0;
  while (from < before && !begins_character(line[from])) ++from;
  std::size_t to = std::min(line.size(), before + shown);
  while (to < line.size() && !begins_character(line[to])) ++to;
  Diagnostic result;
  result.severity = severity;
  result.file = std::move(file);
  result.line = static_cast<int>(std::min<std::int64_t>(number, std::numeric_limits<int>::max()));
  result.column = characters(line.substr(0, before)) + 1;
  result.length = std::max(1, characters(part));
  result.message = std::move(message);
  result.source_line = std::string(line.substr(from, to - from));
  result.source_column = characters(line.substr(0, from)) + 1;
  return result;
}

bool has_errors(std::span<const Diagnostic> diagnostics) {
  return std::ranges::any_of(diagnostics,
                             [](const Diagnostic& d) { return d.severity == Severity::error; });
}

}  // namespace sterna::md
