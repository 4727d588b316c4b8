#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sterna::md {

/// One character of a text from outside as a terminal may show it.
struct DisplayCharacter {
  std::string text;  ///< UTF-8; control characters and broken UTF-8 escaped as in C: "\x1b"
  int width;         ///< columns; 0 for combining characters, -1 for a tab
};

/// The characters (code points) of UTF-8; a byte that belongs to none counts as one.
std::vector<DisplayCharacter> display_characters(std::string_view text);

/// `text` in double quotes for a message: control characters escaped, shortened beyond 60
/// characters.
std::string quote(std::string_view text);

/// `path` in double quotes for a message: control characters escaped, never shortened, because the
/// end of a name tells which file is meant.
std::string quote_path(std::string_view path);

/// `text` on one line: what a terminal would take for a command, line ends too, is escaped.
std::string printable(std::string_view text);

}  // namespace sterna::md
