#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "comm/transport/shm/memory.hpp"

namespace sterna::comm::shm {

/// The memory of another process of the node, mapped into this one.
class Peer {
 public:
  /// Throws Error where the memory cannot be mapped.
  explicit Peer(const Handle& handle);
  ~Peer();
  Peer(Peer&& other) noexcept;
  Peer& operator=(Peer&&) = delete;

  std::byte* data() const { return data_; }
  void put(std::size_t offset, const void* source, std::size_t bytes) {
    std::memcpy(data_ + offset, source, bytes);
  }
  /// Raises the notice at `offset` to `value`, after all that was stored before.
  void notify(std::size_t offset, std::uint64_t value) {
    std::atomic_ref(*reinterpret_cast<std::uint64_t*>(data_ + offset))
        .store(value, std::memory_order_release);
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace sterna::comm::shm
