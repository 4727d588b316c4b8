#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "comm/tune/tuner.hpp"

namespace sterna::comm {

/// The method that an exchange begins with.
struct Selection {
  std::size_t method = 0;  ///< index of the method in the table
  std::string reason;      ///< the reason in words, for the verdict
  /// all methods, for the tuner; empty if the method is final
  std::vector<Candidate> candidates = {};
};

/// Returns the method in whose place `row` would do the same, so that it takes no part in a race;
/// empty if there is none.
template <class Row>
std::string_view same_as(const Row& row, int nodes) {
  return row.same_as.empty() && nodes == 1 ? row.same_on_one_node_as : row.same_as;
}

/// Returns for each method the reason why it does not work: `why_not(row)`. Methods that take no part
/// where another one works are not asked, because to answer they may have to start a transport.
template <class Table, class WhyNot>
std::vector<std::string> reasons_of(const Table& table, int nodes, WhyNot&& why_not) {
  std::vector<std::string> reasons(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (same_as(table[i], nodes).empty()) reasons[i] = why_not(table[i]);
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string_view other = same_as(table[i], nodes);
    if (other.empty() || reasons[table.index_of(other)].empty()) continue;
    reasons[i] = why_not(table[i]);
  }
  return reasons;
}

/// Selects a method for "auto". `why_not` has, by index in the table, the reason why a method does
/// not work; an empty text means that it works. Of the methods that work, the one with the highest
/// priority is the first choice. All methods are candidates for the tuner, if tuning is on.
template <class Table>
Selection select_automatically(const Table& table, std::vector<std::string> why_not, int nodes,
                               bool tuning_is_on) {
  Selection selection;
  int priority = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& row = table[i];
    const std::string_view other = same_as(row, nodes);
    if (!other.empty() && why_not[i].empty() && why_not[table.index_of(other)].empty()) {
      why_not[i] = "it is the same as " + std::string(other) + " here, with a detour";
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
