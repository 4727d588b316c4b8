#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sterna::comm {

/// A peer of a pattern as methods see it: another rank, with bytes in at least one direction.
struct Link {
  int rank;
  std::size_t send_items;     ///< capacity in items
  std::size_t receive_items;  ///< capacity in items
};

inline std::vector<int> ranks_of(std::span<const Link> links) {
  std::vector<int> ranks;
  for (const Link& link : links) ranks.push_back(link.rank);
  return ranks;
}

}  // namespace sterna::comm
