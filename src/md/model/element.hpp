#pragma once

#include <optional>
#include <string_view>

namespace sterna::md {

/// The symbol of the element that an atom is, or "" where neither name nor mass (u) tells it. A
/// united atom (CH2) is its carbon. Without a mass (in reduced units) a name counts that is a symbol
/// of two letters: A and B are no elements there. The rules are those of python/sterna/elements.py.
std::string_view element_of(std::string_view name, std::optional<double> mass);

}  // namespace sterna::md
