#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/onesided/window.hpp"
#include "comm/transport/shm/transport.hpp"

namespace sterna::comm {

/// The contributions to a reduction on one node, in memory that all its ranks read. Each rank stores
/// its own, raises a notice behind it, and combines all of them when they are there: no messages, and
/// every rank adds in the order of the ranks. Two places take turns: who stores in round r + 2 has
/// seen all contributions of round r + 1, and by then everybody has read those of round r.
class NodeReduction {
 public:
  /// Whether it serves such contributions in this context, on all its ranks alike. What each rank
  /// reads grows with the number of ranks, so that a tree wins where there are many.
  static bool serves(const Context::Implementation& context, std::size_t bytes);

  /// Collective. Contributions of at most `bytes`; `tag`: of the messages that connect.
  NodeReduction(Context::Implementation& context, std::string_view name, int tag,
                std::size_t bytes);

  /// Rounds ascend without gaps.
  void store(std::uint64_t round, std::span<const std::byte> contribution);
  /// The first rank that has not come yet, or -1.
  int late_rank(std::uint64_t round);
  /// Valid until this rank stores in the next round.
  const std::byte* contribution(int rank, std::uint64_t round) const;

 private:
  std::size_t place(std::uint64_t round) const { return (round % 2) * stride_; }
  const std::byte* memory_of(int rank) const;

  int size_;
  std::size_t stride_;  ///< of the places: a notice, and a contribution behind it
  Window<shm::Transport> window_;
  std::vector<const std::byte*> memories_;  ///< by rank
  std::uint64_t seen_round_ = 0;
  int seen_ = 0;  ///< so many ranks, the lowest, have come in that round
};

}  // namespace sterna::comm
