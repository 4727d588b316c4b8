#include "comm/context/nearest_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

namespace sterna::comm {

namespace {

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names) {
  std::string_view nearest;
  std::size_t fewest = 0;
  for (const std::string_view name : names) {
    const std::size_t edits = edit_distance(word, name);
    // More than about a third of the letters wrong is another word, not a misspelling.
    const std::size_t limit =
        std::max<std::size_t>(1, (std::max(word.size(), name.size()) + 1) / 3);
    if (edits <= limit && (nearest.empty() || edits < fewest)) {
      nearest = name;
      fewest = edits;
    }
  }
  return nearest;
}

std::string unknown_name_message(std::string_view kind, std::string_view word,
                                 std::span<const std::string_view> names) {
  const std::string_view nearest = nearest_name(word, names);
  const std::string hint = nearest.empty() ? "." : fmt::format("; did you mean \"{}\"?", nearest);
  return fmt::format("unknown {} \"{}\"{} Valid are: {}", kind, word, hint, fmt::join(names, ", "));
}

}  // namespace sterna::comm
