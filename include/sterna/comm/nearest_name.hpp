#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sterna::comm {

/// The name of `names` that a person who typed `typed` most likely meant: one that `typed` is the
/// beginning of, or the fewest insertions, deletions, changes and swaps of neighboring letters away
/// (optimal string alignment; case does not count), the first of equals. Nothing where none is near
/// enough to be a misspelling.
std::optional<std::string_view> nearest_name(std::string_view typed,
                                             std::span<const std::string_view> names);

/// unknown sparse method "nbxx"; did you mean "nbx"? Valid are: auto, alltoall, nbx
/// `kind` says what the name should have named.
std::string unknown_name_message(std::string_view kind, std::string_view typed,
                                 std::span<const std::string_view> names);
/// The same where the caller knows what was `meant`, or that nothing is near.
std::string unknown_name_message(std::string_view kind, std::string_view typed,
                                 std::span<const std::string_view> names,
                                 std::optional<std::string_view> meant);

}  // namespace sterna::comm
