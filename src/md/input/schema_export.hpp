#pragma once

#include <string>
#include <string_view>

namespace sterna::md {

/// The JSON Schema (draft 2020-12) of the input file, for editors that check TOML.
std::string input_json_schema();

/// The table of a section's keys for one value of `kind`, without `kind` itself.
std::string keys_of_kind_markdown(std::string_view section, std::string_view kind);

/// The text of the reference page, docs/input.md.
std::string input_reference_markdown();

}  // namespace sterna::md
