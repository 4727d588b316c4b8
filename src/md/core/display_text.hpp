#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sterna::md {

/// One character of an untrusted text, in a form that a terminal can show safely.
struct DisplayCharacter {
  std::string text;  ///< UTF-8; control characters and broken UTF-8 escaped as in C: "\x1b"
  int width;         ///< columns; 0 for combining characters, -1 for a tab
};

/// The characters (code points) of a UTF-8 text. Each byte of an invalid sequence counts as one.
std::vector<DisplayCharacter> display_characters(std::string_view text);

/// `text` in double quotes for a message. Control characters are escaped; a text longer than 60
/// characters is shortened.
std::string quote(std::string_view text);

/// `path` in double quotes for a message. Control characters are escaped. It is never shortened,
/// because the end of a name tells which file is meant.
std::string quote_path(std::string_view path);

/// `text` on one line. Control characters, line ends included, are escaped so that a terminal does
/// not obey them.
std::string printable(std::string_view text);

}  // namespace sterna::md
