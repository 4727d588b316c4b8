#pragma once

#include <string>
#include <string_view>

namespace sterna::md {

/// The text with ASCII letters in lower case, independent of the locale.
inline std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace sterna::md
