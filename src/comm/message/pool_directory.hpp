#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "comm/transport/shm/memory.hpp"

namespace sterna::comm {

/// The beginning of the memory that a rank shares with the ranks of its node: handles of the slabs
/// of its pool, and the list of blocks that other ranks returned. The rings of its peers follow.
struct PoolDirectory {
  static constexpr std::size_t most_slabs = 2048;

  /// The last block of the chained list of returned blocks, 0 if there is none.
  alignas(128) std::atomic<std::uint64_t> returned;
  alignas(128) std::atomic<std::uint32_t> slabs;  ///< number of valid handles
  shm::Handle handles[most_slabs];
};

}  // namespace sterna::comm
