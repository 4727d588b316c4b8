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

/// Blocks of memory that are used again and again, so that page faults are paid once and not by
/// each message. Slabs hold the blocks; in a node every rank maps the slabs of the others when it
/// first gets a location in them. A block that another rank releases is pushed on the list in its
/// owner's directory, where the owner looks when it needs memory.
class MessagePool : public std::enable_shared_from_this<MessagePool> {
 public:
  /// `shared`: the directories of the ranks of this node, by index on the node, `own` this rank's.
  /// The memory that they lie in must be kept by `keep`. Without directories, memory is this rank's
  /// alone.
  MessagePool(std::vector<PoolDirectory*> directories, std::size_t own, bool poison,
              std::shared_ptr<void> keep);

  /// Throws MemoryError where memory does not suffice.
  BufferBytes allocate(std::size_t bytes);
  /// The block at `location` becomes this rank's.
  BufferBytes adopt(const Location& location, std::size_t bytes);
  /// Memory at `location`, to read.
  const std::byte* view(const Location& location) { return slab_data(location) + location.offset; }
  /// Whether the others of the node see this memory.
  bool is_shared() const { return !directories_.empty(); }
  /// Where others of this node find this memory; nothing where they do not.
  std::optional<Location> locate(const std::byte* data, std::size_t bytes) const;
  void release(std::byte* data);
  /// Gives the pages of free blocks that have slabs of their own back to the system.
  void release_unused();
  /// Blocks of this rank that somebody still holds.
  std::size_t outstanding();

 private:
  /// Before the data of each block; in shared memory, so that whoever holds the block can return
  /// it.
  struct alignas(128) Header {
    Location location;  ///< of the data
    std::uint64_t capacity;
    std::uint64_t next;  ///< on the list of returned blocks: where that one's data are, packed
  };
  struct Slab {
    std::byte* data;
    std::size_t bytes;
    Location location;  ///< of its first byte
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
  /// Throws MemoryError where memory does not suffice.
  void require(std::size_t bytes) const;
  std::size_t add_slab(std::size_t bytes);
  /// Memory for slab `number`; in shared memory where there are directories, and listed there.
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
  /// First bytes by owner and slab; nullptr: not mapped yet. No more than that, so that eight lie
  /// in a cache line.
  std::vector<std::vector<std::byte*>> slabs_;
  std::vector<Slab> by_address_;               ///< ascending
  std::vector<std::vector<std::byte*>> free_;  ///< by class of size
  std::size_t fresh_slab_ = 0;                 ///< the one that is carved up
  std::size_t fresh_bytes_ = 0;                ///< what is left of it
  std::size_t outstanding_ = 0;
};

}  // namespace sterna::comm
