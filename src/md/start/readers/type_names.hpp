#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/line_reader.hpp"

namespace sterna::md {

/// Finds the input's particle types, or components, by the words that a start file uses for them.
class TypeNames {
 public:
  /// `section`: the input's name for them, such as "[[type]]".
  TypeNames(std::vector<std::string> names, std::string section)
      : names_(std::move(names)), section_(std::move(section)) {}

  const std::string& section() const { return section_; }
  std::int64_t count() const { return static_cast<std::int64_t>(names_.size()); }
  /// The type of this name; if no type has it and it is a number k, the k-th type. Throws
  /// StartFileError at `place`, a part of the current line, with the nearest name.
  std::int64_t find(const LineReader& reader, std::string_view word, std::string_view place) const {
    for (std::size_t type = 0; type < names_.size(); ++type) {
      if (names_[type] == word) return static_cast<std::int64_t>(type);
    }
    return find_number(reader, word, place);
  }
  std::int64_t find(const LineReader& reader, std::string_view word) const {
    return find(reader, word, word);
  }
  /// The k-th type for the word k, counted from 1. Throws StartFileError.
  std::int64_t find_number(const LineReader& reader, std::string_view word) const {
    return find_number(reader, word, word);
  }

 private:
  std::int64_t find_number(const LineReader& reader, std::string_view word,
                           std::string_view place) const;

  std::vector<std::string> names_;
  std::string section_;
};

}  // namespace sterna::md
