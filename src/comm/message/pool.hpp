#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "comm/message/pool_directory.hpp"
#include "comm/transport/shm/memory.hpp"
#include "comm/transport/shm/remote_memory.hpp"
#include "comm/transport/two_sided/memory.hpp"
#include "sterna/comm/buffer.hpp"

namespace sterna::comm {

/// Blocks of memory that are reused, so that page faults occur once and not in each message. Slabs
/// hold the blocks. Within a node every rank maps a slab of another rank when it first gets a
/// location in it. A rank that releases another rank's block pushes it on the list in the owner's
/// directory, and the owner looks there when it needs memory.
class MessagePool : public std::enable_shared_from_this<MessagePool> {
 public:
  /// `shared` has the directories of the ranks of this node, by index on the node; `own` is this
  /// rank's. `keep` must keep the memory of the directories. Without directories the pool is
  /// private to this rank.
  MessagePool(std::vector<PoolDirectory*> directories, std::size_t own, bool poison,
              std::shared_ptr<void> keep);

  /// Throws MemoryError if memory does not suffice.
  BufferBytes allocate(std::size_t bytes);
  /// Makes this rank the owner of the block at `location`.
  BufferBytes adopt(const Location& location, std::size_t bytes);
  /// Returns the memory at `location`, for reading.
  const std::byte* view(const Location& location) { return slab_data(location) + location.offset; }
  /// True if the other ranks of the node see this memory.
  bool is_shared() const { return !directories_.empty(); }
  /// Returns the location under which other ranks of this node find this memory; nothing if they
  /// cannot.
  std::optional<Location> locate(const std::byte* data, std::size_t bytes) const;
  void release(std::byte* data);
  /// Gives the pages of free blocks with slabs of their own back to the operating system.
  void release_unused();
  /// The number of blocks of this rank that are still held, on any rank.
  std::size_t outstanding();

 private:
  /// The header before the data of each block. It is in shared memory, so that the rank that holds
  /// the block can return it.
  struct alignas(128) Header {
    Location location;  ///< location of the data
    std::uint64_t capacity;
    /// in the list of returned blocks: location of the next block's data, packed
    std::uint64_t next;
  };
  struct Slab {
    std::byte* data;
    std::size_t bytes;
    Location location;  ///< location of the first byte
  };

  static std::uint64_t pack(const Location& location) {
    return ((location.offset / alignof(Header)) << 16U) | (location.slab + 1);
  }
  std::byte* unpack(std::uint64_t packed);
  static Header& header_of(std::byte* data) {
    return *reinterpret_cast<Header*>(data - sizeof(Header));
  }

  std::byte* slab_data(const Location& location) {
    const std::vector<std::byte*>& slabs = slabs_.at(location.owner);
    if (location.slab < slabs.size() && slabs[location.slab] != nullptr)
      return slabs[location.slab];
    return map_slab(location);
  }
  std::byte* map_slab(const Location& location);
  /// Throws MemoryError if memory does not suffice.
  void require(std::size_t bytes) const;
  std::size_t add_slab(std::size_t bytes);
  /// Allocates slab `number`. If there are directories, it is in shared memory and listed there.
  std::byte* slab_memory(std::size_t number, std::size_t bytes);
  std::byte* carve(std::size_t capacity);
  void put_away(std::byte* data);
  void collect_returned();

  std::shared_ptr<void> keep_;
  std::vector<PoolDirectory*> directories_;
  std::size_t own_;
  bool poison_;
  std::vector<std::unique_ptr<shm::Memory>> shared_;
  std::vector<std::vector<std::optional<shm::RemoteMemory>>> mapped_;  ///< by owner and slab
  std::vector<std::unique_ptr<two_sided::Memory>> private_;
  /// The first bytes of slabs, by owner and slab; nullptr if not mapped yet. Entries have no other
  /// data, so that eight of them fit into a cache line.
  std::vector<std::vector<std::byte*>> slabs_;
  std::vector<Slab> by_address_;               ///< in ascending order of addresses
  std::vector<std::vector<std::byte*>> free_;  ///< free blocks by class of size
  std::size_t fresh_slab_ = 0;                 ///< the slab from which new blocks are carved
  std::size_t fresh_bytes_ = 0;                ///< the number of bytes left in it
  std::size_t outstanding_ = 0;
};

}  // namespace sterna::comm
