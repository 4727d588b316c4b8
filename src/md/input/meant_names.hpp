#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "md/input/checked_toml.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

// Finds the known name that an unknown name in a file may mean: a name of similar spelling, another
// program's word for it, or a name from another section.

/// Whether other programs use this name for the key.
bool is_alias(const KeySchema& key, std::string_view name);

/// The section that may be meant; null if none is similar.
const SectionSchema* meant_section(std::string_view name);
/// As `meant_section`, among the sections inside another one.
const SectionSchema* meant_inner_section(const SectionSchema& outer, std::string_view name);

/// The keys of a section that may be meant: the key for which other programs use the name, and the
/// key of the most similar spelling. If the table has one of them already, only the other is
/// returned.
std::vector<const KeySchema*> meant_keys(std::string_view section, std::string_view name,
                                         const toml::table& table);

/// The sections that have a key of exactly this name: "[start] or [thermostat]".
std::string sections_with(std::string_view name);
/// The sections in which a key of this name has this choice. For example, a pair potential that is
/// given in [interaction] is a choice in [[pair]].
std::string sections_with_choice(std::string_view name, std::string_view choice);

}  // namespace sterna::md
