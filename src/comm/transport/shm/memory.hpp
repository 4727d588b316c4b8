#pragma once

#include <cstddef>
#include <cstdint>

namespace sterna::comm::shm {

/// What another process of the node needs to map a memory; to be sent as bytes.
struct Handle {
  std::int64_t process = 0;
  std::int64_t descriptor = -1;
  std::uint64_t bytes = 0;
  std::uint64_t file = 0;  ///< inode: tells this memory from a later one of the same numbers
};

/// Memory of this process that others of the node can map, filled with zeros. It has no name in
/// any file system: the kernel frees it with its last user, however that one ends.
class Memory {
 public:
  /// Throws MemoryError, before anything is allocated, where the memory of this process or of the
  /// node does not suffice.
  explicit Memory(std::size_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return handle_.bytes; }
  /// Usable by others as long as this object lives; what they have mapped outlives it.
  const Handle& handle() const { return handle_; }

 private:
  std::byte* data_ = nullptr;
  Handle handle_;
};

}  // namespace sterna::comm::shm
