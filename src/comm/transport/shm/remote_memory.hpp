#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "comm/transport/shm/memory.hpp"

namespace sterna::comm::shm {

/// The memory of another process of the node, mapped into this one.
class RemoteMemory {
 public:
  /// Throws Error if the memory cannot be mapped.
  explicit RemoteMemory(const Handle& handle);
  ~RemoteMemory();
  RemoteMemory(RemoteMemory&& other) noexcept;
  RemoteMemory& operator=(RemoteMemory&&) = delete;

  std::byte* mapped() const { return data_; }
  void put(std::size_t offset, const void* source, std::size_t bytes) {
    std::memcpy(data_ + offset, source, bytes);
  }
  void get(std::size_t offset, void* target, std::size_t bytes) const {
    std::memcpy(target, data_ + offset, bytes);
  }
  /// Adds `value` to the word at `offset` atomically; `before` is its previous value.
  void fetch_add(std::size_t offset, std::uint64_t value, std::uint64_t& before) {
    before = std::atomic_ref(*reinterpret_cast<std::uint64_t*>(data_ + offset))
                 .fetch_add(value, std::memory_order_acq_rel);
  }
  /// Raises the notice at `offset` to `value`, after all earlier stores.
  void notify(std::size_t offset, std::uint64_t value) {
    std::atomic_ref(*reinterpret_cast<std::uint64_t*>(data_ + offset))
        .store(value, std::memory_order_release);
  }
  /// Stores arrive at once.
  bool sent() const { return true; }
  void flush() {}

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace sterna::comm::shm
