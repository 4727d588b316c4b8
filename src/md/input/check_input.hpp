#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "md/input/diagnostics.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// Called for each finding: severity, place ("start.cells"), message.
using Report = std::function<void(Severity, std::string_view place, std::string message)>;
/// Whether the file gives this key with a value that could be read.
using IsGood = std::function<bool(std::string_view place)>;
/// Whether a key that may be left out has a value that checks can look at: its default, or one that
/// could be read.
inline bool has_value(const Input& input, const IsGood& is_good, std::string_view place) {
  return !input.places.contains(place) || is_good(place);
}

/// What no key alone can tell: contradictions between keys, names that stand twice or nowhere,
/// files that do not exist. Completes defaults that depend on other keys.
void check_input(Input& input, bool look_at_files, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
