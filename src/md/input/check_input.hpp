#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "md/input/diagnostics.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// Is called for each finding: severity, place ("start.cells"), message.
using Report = std::function<void(Severity, std::string_view place, std::string message)>;
/// Whether the file has this key with a value that could be read.
using IsGood = std::function<bool(std::string_view place)>;
/// Whether an optional key has a value that checks can use: its default, or a value that could be
/// read.
inline bool has_value(const Input& input, const IsGood& is_good, std::string_view place) {
  return !input.places.contains(place) || is_good(place);
}

/// Checks that need more than one key: contradictions between keys, names that are duplicate or
/// unknown, files that do not exist. Also sets defaults that depend on other keys.
void check_input(Input& input, bool look_at_files, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
