#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "comm/transport/shm/memory.hpp"

namespace sterna::comm {

/// Begins the memory that a rank shares with the ranks of its node: handles of the slabs of its
/// pool, and the list of blocks that other ranks returned. The rings of its peers follow.
struct PoolDirectory {
  static constexpr std::size_t most_slabs = 2048;

  /// Last block of the list of those given back, 0 for none; the blocks are chained.
  alignas(128) std::atomic<std::uint64_t> returned;
  alignas(128) std::atomic<std::uint32_t> slabs;  ///< so many handles are valid
  shm::Handle handles[most_slabs];
};

}  // namespace sterna::comm
