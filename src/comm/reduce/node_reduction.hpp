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

/// The contributions to a reduction on one node, in memory that all its ranks read. Each rank
/// stores its own contribution, raises a notice behind it, and combines all contributions when they
/// have arrived. So there are no messages, and every rank adds in the order of the ranks. Two
/// places take turns: a rank that stores in round r + 2 has seen all contributions of round r + 1,
/// and by then all ranks have read those of round r.
class NodeReduction {
 public:
  /// True if shared memory serves such contributions in this context, on all its ranks alike. A
  /// rank reads the contributions of all others, so with many ranks a tree is faster.
  static bool serves(const Context::Implementation& context, std::size_t bytes);

  /// Contributions have at most `bytes`. Collective; `tag` is that of the messages that connect the
  /// ranks.
  NodeReduction(Context::Implementation& context, std::string_view name, int tag,
                std::size_t bytes);

  /// Stores this rank's contribution. Rounds ascend without gaps.
  void store(std::uint64_t round, std::span<const std::byte> contribution);
  /// The first rank that has not arrived yet, or -1.
  int late_rank(std::uint64_t round);
  /// The contribution of a rank; valid until this rank stores in the next round.
  const std::byte* contribution(int rank, std::uint64_t round) const;

 private:
  std::size_t place(std::uint64_t round) const { return (round % 2) * stride_; }
  const std::byte* memory_of(int rank) const;

  int size_;
  std::size_t stride_;  ///< size of a place: a notice, and a contribution behind it
  Window<shm::Transport> window_;
  std::vector<const std::byte*> memories_;  ///< memories by rank
  std::uint64_t seen_round_ = 0;
  int seen_ = 0;  ///< number of ranks, from the lowest on, that have arrived in the round
};

}  // namespace sterna::comm
