#include "sterna/comm/nearest_name.hpp"
#include "sterna/comm/joined.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sterna::comm {

namespace {

// The limit bounds the time. Names of models of OpenKIM have up to a hundred characters.
constexpr std::size_t longest_name = 128;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The number of insertions, deletions, changes and swaps of neighboring letters that turn `a` into
/// `b` (optimal string alignment; case does not count).
int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<int> before_last(columns), last(columns), current(columns);
  for (std::size_t j = 0; j < columns; ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < columns; ++j) {
      const int replaced = last[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      current[j] = std::min({replaced, last[j] + 1, current[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(current);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view typed,
                                             std::span<const std::string_view> names) {
  if (typed.empty() || typed.size() > longest_name) return std::nullopt;
  std::optional<std::string_view> nearest;
  int smallest = 0;
  for (const std::string_view name : names) {
    // The beginning of a longer name ("stochastic") or a longer form ("nanometers") is as likely as
    // a typing error.
    const std::size_t common = std::min(typed.size(), name.size());
    const bool begins = common >= 3 && typed.size() != name.size() &&
                        edit_distance(typed.substr(0, common), name.substr(0, common)) == 0;
    const int distance = begins ? 1 : edit_distance(typed, name);
    const int allowed = std::max(1, static_cast<int>(common + 1) / 3);
    // A name of one or two characters is near to every other. So there only the case may differ.
    if (distance > 0 && name.size() <= 2 && typed.size() <= name.size()) continue;
    if (distance > allowed) continue;
    if (!nearest || distance < smallest) {
      nearest = name;
      smallest = distance;
    }
  }
  return nearest;
}

std::string unknown_name_message(std::string_view kind, std::string_view typed,
                                 std::span<const std::string_view> names) {
  return unknown_name_message(kind, typed, names, nearest_name(typed, names));
}

std::string unknown_name_message(std::string_view kind, std::string_view typed,
                                 std::span<const std::string_view> names,
                                 std::optional<std::string_view> meant) {
  const std::string hint = meant ? fmt::format("; did you mean \"{}\"?", *meant) : ".";
  return fmt::format("unknown {} \"{}\"{} Valid are: {}", kind, typed, hint, joined(names, ", "));
}

}  // namespace sterna::comm
