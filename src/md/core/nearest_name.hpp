#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace sterna::md {

/// Number of single-character insertions, deletions, replacements and swaps of neighbors that turn
/// `a` into `b` (optimal string alignment), upper and lower case taken as equal.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate that a person who typed `typed` most likely meant, or nothing where none is near.
std::optional<std::string_view> nearest_name(std::string_view typed,
                                             std::span<const std::string_view> candidates);

}  // namespace sterna::md
