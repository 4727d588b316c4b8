#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "md/input/checked_toml.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

// What a file may mean by a name that the input does not know: a name spelled alike, what other
// programs call it, or one of another section.

/// Whether other programs call a key so.
bool is_alias(const KeySchema& key, std::string_view name);

/// The section that may be meant; null: none.
const SectionSchema* meant_section(std::string_view name);
/// The same of the sections inside another one.
const SectionSchema* meant_inner_section(const SectionSchema& outer, std::string_view name);

/// The keys of a section that may be meant: the one that other programs call so, and the one spelled
/// most alike. Only one of them where the table has the other already.
std::vector<const KeySchema*> meant_keys(std::string_view section, std::string_view name,
                                         const toml::table& table);

/// The sections that have a key of this very name: "[start] or [thermostat]".
std::string sections_with(std::string_view name);
/// Sections where a key of this name has this choice: a pair potential in [interaction] is one of
/// [[pair]].
std::string sections_with_choice(std::string_view name, std::string_view choice);

}  // namespace sterna::md
