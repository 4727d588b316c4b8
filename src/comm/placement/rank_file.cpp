#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sterna/comm/error.hpp"
#include "sterna/comm/placement.hpp"

namespace sterna::comm {

std::string rank_file(const PlacementProblem& problem, const Placement& placement,
                      std::span<const std::string> hosts, RankFile format) {
  const std::size_t nodes = problem.ranks_on_node.size();
  if (hosts.size() != nodes && format != RankFile::cray) {
    throw Error(fmt::format("rank file: {} hosts for {} nodes", hosts.size(), nodes));
  }
  std::string text;
  if (format == RankFile::cray) {
    std::vector<int> ranks(placement.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    std::ranges::stable_sort(ranks, {},
                             [&](int rank) { return placement[static_cast<std::size_t>(rank)]; });
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      text += fmt::format("{}{}", ranks[i], i + 1 == ranks.size() ? "\n" : ",");
    }
    return text;
  }
  std::vector<int> slots(nodes, 0);
  for (std::size_t rank = 0; rank < placement.size(); ++rank) {
    const auto node = static_cast<std::size_t>(placement[rank]);
    text += format == RankFile::open_mpi
                ? fmt::format("rank {}={} slot={}\n", rank, hosts[node], slots[node]++)
                : fmt::format("{}:1\n", hosts[node]);
  }
  return text;
}

}  // namespace sterna::comm
