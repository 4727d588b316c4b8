#pragma once

#include <cstddef>
#include <cstdint>

namespace sterna::comm::shm {

/// The data that another process of the node needs to map a memory; to be sent as bytes.
struct Handle {
  std::int64_t process = 0;
  std::int64_t descriptor = -1;
  std::uint64_t bytes = 0;
  /// inode, which distinguishes this memory from a later one with the same numbers
  std::uint64_t file = 0;
};

/// Memory of this process that others of the node can map, filled with zeros. It has no name in any
/// file system, so the kernel frees it with its last user, however that process ends.
class Memory {
 public:
  /// Throws MemoryError, before anything is allocated, if the memory of this process or of the node
  /// does not suffice.
  explicit Memory(std::size_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return handle_.bytes; }
  /// The handle is valid as long as this object lives; mapped memory outlives it.
  const Handle& handle() const { return handle_; }

 private:
  std::byte* data_ = nullptr;
  Handle handle_;
};

}  // namespace sterna::comm::shm
