#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "comm/tune/tuner.hpp"

namespace sterna::comm {

/// The method that an exchange begins with.
struct Selection {
  std::size_t method = 0;                  ///< index in the table
  std::string reason;                      ///< in words, for the verdict
  std::vector<Candidate> candidates = {};  ///< the table, for the tuner; empty: the method is final
};

/// With "auto": of the methods that work (those without a reason why not, by their place in the
/// table) the one that is the first choice, and all as candidates for the tuner, where that is on.
template <class Table>
Selection select_automatically(const Table& table, std::vector<std::string> why_not,
                               bool tuning_is_on) {
  Selection selection;
  int priority = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& row = table[i];
    if (!row.same_as.empty() && why_not[i].empty() &&
        why_not[table.index_of(row.same_as)].empty()) {
      why_not[i] = "it is the same as " + std::string(row.same_as) + " here, with a detour";
    }
    if (!why_not[i].empty() || row.first_choice.priority <= priority) continue;
    priority = row.first_choice.priority;
    selection.method = i;
    selection.reason = row.first_choice.reason;
  }
  if (!tuning_is_on) {
    selection.reason = "auto: " + selection.reason + "; not measured, tuning is off";
    return selection;
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    selection.candidates.push_back({table[i].info.name, table[i].cost, why_not[i]});
  }
  return selection;
}

}  // namespace sterna::comm
