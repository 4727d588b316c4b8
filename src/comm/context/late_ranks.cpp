#include "comm/context/late_ranks.hpp"
#include "sterna/comm/joined.hpp"

#include <fmt/format.h>

namespace sterna::comm {

void LateRanks::add(int rank, std::string_view reason) {
  ranks.push_back(rank);
  reasons += fmt::format("; rank {}{}", rank, reason);
}

std::string name_ranks(const std::vector<int>& ranks) {
  if (ranks.empty()) return "the other ranks";
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", joined(ranks, ", "));
}

std::string timeout_passed(double seconds, const LateRanks& late, bool named) {
  const bool unknown = late.ranks.empty() && !named;
  return fmt::format("; the timeout of {:g} s has passed{}{}", seconds, late.reasons,
                     unknown ? "; which of them is late is not known" : "");
}

}  // namespace sterna::comm
