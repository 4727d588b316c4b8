#pragma once

#include <optional>
#include <string_view>

namespace sterna::md {

/// The symbol of an atom's element, or "" if neither name nor mass (u) tells it. A united atom
/// (CH2) counts as carbon. Without a mass (in reduced units) only names that are a symbol of two
/// letters count, because types there are often called A and B. The rules are those of
/// python/sterna/support/elements.py.
std::string_view element_of(std::string_view name, std::optional<double> mass);

}  // namespace sterna::md
