#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "comm/family/method_row.hpp"
#include "comm/tune/evidence_store.hpp"
#include "comm/tune/tuner.hpp"

namespace sterna::comm {

/// The method that an exchange begins with.
struct Selection {
  std::size_t method = 0;  ///< index of the method in the table
  std::string reason;      ///< the reason in words, for the verdict
  /// all methods, for the tuner; empty if the method is final
  std::vector<Candidate> candidates = {};
};

/// Returns for each method the reason why it takes no part: `why_not(row)`, or that it cannot win on
/// so many nodes or ranks.
template <class Table, class WhyNot>
std::vector<std::string> reasons_of(const Table& table, const Context& context, WhyNot&& why_not) {
  std::vector<std::string> reasons;
  const int most_ranks = most_ranks_on_a_node(context);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Races races = table[i].races;
    if (races != Races::anywhere && context.node_count() == 1) {
      reasons.emplace_back("all ranks are on one node, where it takes no part in a race");
    } else if (races == Races::between_shared_nodes && most_ranks == 1) {
      reasons.emplace_back("no node has several ranks, whose messages it could join");
    } else {
      reasons.push_back(why_not(table[i]));
    }
  }
  return reasons;
}

/// Selects a method for "auto". `why_not` has, by index in the table, the reason why a method does
/// not work; an empty text means that it works. Of the methods that work, the one with the highest
/// priority is the first choice. All methods are candidates for the tuner, if tuning is on.
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
