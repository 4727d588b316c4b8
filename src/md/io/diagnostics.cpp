#include "md/io/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sterna::md {
namespace {

struct Character {
  std::string text;  ///< what to print
  int width;         ///< columns on a terminal; -1 for a tab
};

/// Number of bytes of the valid UTF-8 character that `text` begins with, or 0.
std::size_t character_size(std::string_view text, std::uint32_t& code) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  std::size_t size = 0;
  if (first < 0x80) {
    code = first;
    return 1;
  }
  if (first >= 0xc2 && first < 0xe0) {
    size = 2, code = first & 0x1fu;
  } else if (first >= 0xe0 && first < 0xf0) {
    size = 3, code = first & 0x0fu;
  } else if (first >= 0xf0 && first < 0xf5) {
    size = 4, code = first & 0x07u;
  } else {
    return 0;
  }
  if (text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0u) != 0x80u) return 0;
    code = (code << 6) | (byte(i) & 0x3fu);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return overlong || surrogate || code > 0x10ffff ? 0 : size;
}

bool is_combining(std::uint32_t c) {
  return (c >= 0x300 && c < 0x370) || (c >= 0x200b && c <= 0x200d) || (c >= 0xfe00 && c <= 0xfe0f);
}

/// East Asian wide characters and emoji take two columns.
bool is_wide(std::uint32_t c) {
  return (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) ||
         (c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) ||
         (c >= 0xfe30 && c < 0xfe70) || (c >= 0xff00 && c < 0xff61) ||
         (c >= 0x1f300 && c < 0x1f650) || (c >= 0x1f900 && c < 0x1fa00);
}

/// Controls, and the invisible marks that reverse the direction of what a terminal prints.
bool is_hidden(std::uint32_t c) {
  return c < 32 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

std::vector<Character> characters_of(std::string_view line) {
  std::vector<Character> characters;
  while (!line.empty()) {
    std::uint32_t code = 0;
    const std::size_t size = character_size(line, code);
    if (size == 0) {
      characters.push_back({"?", 1});
    } else if (code == '\t') {
      characters.push_back({"\t", -1});
    } else if (is_hidden(code)) {
      characters.push_back({"?", 1});
    } else {
      characters.push_back(
          {std::string(line.substr(0, size)), is_combining(code) ? 0 : (is_wide(code) ? 2 : 1)});
    }
    line.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return characters;
}

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
  auto characters = characters_of(diagnostic.source_line);
  std::size_t at = static_cast<std::size_t>(std::max(diagnostic.column, 1) - 1);
  at = std::min(at, characters.size());
  std::string before, after;
  if (characters.size() > widest) {
    const std::size_t from = at > widest / 2 ? at - widest / 2 : 0;
    const std::size_t to = std::min(characters.size(), from + widest);
    if (to < characters.size()) after = "...";
    if (from > 0) before = "...";
    characters = {characters.begin() + static_cast<std::ptrdiff_t>(from),
                  characters.begin() + static_cast<std::ptrdiff_t>(to)};
    at -= from;
  }
  std::string source = before, carets(before.size(), ' ');
  const std::size_t end = at + static_cast<std::size_t>(std::max(diagnostic.length, 1));
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const Character& character = characters[i];
    source += character.text;
    if (i < at) {
      // A tab under a tab keeps the caret in place whatever the terminal's tab stops are.
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
  std::string place = diagnostic.file;
  if (diagnostic.line > 0) {
    place += fmt::format(":{}:{}", diagnostic.line, std::max(diagnostic.column, 1));
  }
  if (!place.empty()) place += ": ";
  std::string text = fmt::format("{}{}{}{}{}:{} {}\n", style.bold, place, style.off, style.label,
                                 name_of(diagnostic.severity), style.off, diagnostic.message);
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

bool has_errors(std::span<const Diagnostic> diagnostics) {
  return std::ranges::any_of(diagnostics,
                             [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::string quote(std::string_view text) {
  const auto characters = characters_of(text);
  std::string out = "\"";
  for (std::size_t i = 0; i < std::min<std::size_t>(characters.size(), 60); ++i) {
    out += characters[i].width < 0 ? "?" : characters[i].text;
  }
  if (characters.size() > 60) out += "...";
  return out + "\"";
}

}  // namespace sterna::md
