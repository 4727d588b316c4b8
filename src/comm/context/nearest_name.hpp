#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sterna::comm {

/// The name of `names` that `word` most likely meant: the fewest insertions, deletions, changes
/// and swaps of neighboring letters away (Damerau-Levenshtein, optimal string alignment; case does
/// not count), the first of equals. Empty where none is near enough to be a misspelling.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

/// unknown sparse method "nbxx"; did you mean "nbx"? Valid are: auto, alltoall, nbx
/// `kind` says what the name should have named.
std::string unknown_name_message(std::string_view kind, std::string_view word,
                                 std::span<const std::string_view> names);

}  // namespace sterna::comm
