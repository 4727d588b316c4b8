#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sterna::comm {

/// Returns the name that a person who typed `typed` most likely meant: a name that begins with
/// `typed`, or the one at the smallest distance in insertions, deletions, changes and swaps of
/// neighboring letters (optimal string alignment; case does not count). Of equals it is the first.
/// Returns nothing if no name is near enough to be a misspelling.
std::optional<std::string_view> nearest_name(std::string_view typed,
                                             std::span<const std::string_view> names);

/// Returns "unknown sparse method "nbxx"; did you mean "nbx"? Valid are: auto, alltoall, nbx".
/// `kind` says what the name stands for.
std::string unknown_name_message(std::string_view kind, std::string_view typed,
                                 std::span<const std::string_view> names);
/// The same message for a caller who knows the intended name `meant`, or that no name is near.
std::string unknown_name_message(std::string_view kind, std::string_view typed,
                                 std::span<const std::string_view> names,
                                 std::optional<std::string_view> meant);

}  // namespace sterna::comm
