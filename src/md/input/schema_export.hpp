#pragma once

#include <string>

namespace sterna::md {

/// JSON Schema (draft 2020-12) of the input file, for editors that check TOML.
std::string input_json_schema();

/// The reference page of the docs: docs/input.md.
std::string input_reference_markdown();

}  // namespace sterna::md
