#pragma once

#include <string>
#include <string_view>

namespace sterna::md {

/// JSON Schema (draft 2020-12) of the input file, for editors that check TOML.
std::string input_json_schema();

/// The table of the keys that a section has with `kind` = the given one, without `kind` itself.
std::string keys_of_kind_markdown(std::string_view section, std::string_view kind);

/// The reference page of the docs: docs/input.md.
std::string input_reference_markdown();

}  // namespace sterna::md
