#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sterna::md::modylas {

/// The next word of a line from `at` on: a tag with its angle brackets, "=", or a text without
/// blanks, commas and semicolons. Empty at the end of the line or before a comment, which begins
/// with "#". Moves `at` behind the word.
std::string_view next_word(std::string_view line, std::size_t& at);

/// Whether a word begins with an angle bracket.
bool is_tag(std::string_view word);
/// The text between the angle brackets, with single blanks between words: "lj void pair", "/lj void
/// pair". Empty if the second bracket is missing.
std::string tag_name(std::string_view tag);

/// Parses a finite number as Fortran does, including 1.0d-10.
bool parse_fortran_number(std::string_view word, double& value);

}  // namespace sterna::md::modylas
