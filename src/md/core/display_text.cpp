#include "md/core/display_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace sterna::md {
namespace {

/// Number of bytes of the valid UTF-8 character at the beginning of `text`, or 0.
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

/// Control characters, and invisible marks that reverse the direction of text on a terminal.
bool is_hidden(std::uint32_t c) {
  return c < 32 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
         (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/// The escape sequence of a character, as C writes it.
std::string escaped(std::uint32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  return c < 0x80 ? fmt::format("\\x{:02x}", c) : fmt::format("\\u{:04x}", c);
}

DisplayCharacter escape(std::string text) {
  const int width = static_cast<int>(text.size());
  return {std::move(text), width};
}

}  // namespace

std::vector<DisplayCharacter> display_characters(std::string_view line) {
  std::vector<DisplayCharacter> characters;
  while (!line.empty()) {
    std::uint32_t code = 0;
    const std::size_t size = character_size(line, code);
    if (size == 0) {
      characters.push_back(
          escape(fmt::format("\\x{:02x}", static_cast<unsigned char>(line.front()))));
    } else if (code == '\t') {
      characters.push_back({"\t", -1});
    } else if (is_hidden(code)) {
      characters.push_back(escape(escaped(code)));
    } else {
      characters.push_back(
          {std::string(line.substr(0, size)), is_combining(code) ? 0 : (is_wide(code) ? 2 : 1)});
    }
    line.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return characters;
}

std::string quote(std::string_view text) {
  const auto characters = display_characters(text);
  std::string out = "\"";
  for (std::size_t i = 0; i < std::min<std::size_t>(characters.size(), 60); ++i) {
    out += characters[i].width < 0 ? escaped('\t') : characters[i].text;
  }
  if (characters.size() > 60) out += "...";
  return out + "\"";
}

std::string quote_path(std::string_view path) {
  return '"' + printable(path) + '"';
}

std::string printable(std::string_view text) {
  std::string out;
  for (const DisplayCharacter& character : display_characters(text)) {
    out += character.width < 0 ? escaped('\t') : character.text;
  }
  return out;
}

}  // namespace sterna::md
