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

/// What no key alone can tell: contradictions between keys, names that stand twice or nowhere,
/// files that do not exist. Completes defaults that depend on other keys.
void check_input(Input& input, bool look_at_files, const IsGood& is_good, const Report& report);

}  // namespace sterna::md
