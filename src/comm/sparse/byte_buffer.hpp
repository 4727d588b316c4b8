#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "comm/context/memory_need.hpp"

namespace sterna::comm {

/// Memory that grows and is never cleared. Arriving data overwrite it, so clearing it first (as a
/// vector would) is a wasted pass. It is aligned to 64 bytes.
class ByteBuffer {
 public:
  /// Returns memory for `bytes`. If it had to grow, its contents are lost.
  std::byte* discard_and_reserve(std::size_t bytes) {
    if (bytes > capacity_) {
      memory_.reset();  // freed first, so that old and new memory do not exist at once
      capacity_ = 0;
      const std::size_t capacity = sum_of_bytes(bytes, bytes / 4);
      require_memory({.plain = capacity});
      memory_.reset(static_cast<std::byte*>(::operator new(capacity, alignment)));
      capacity_ = capacity;
    }
    return memory_.get();
  }
  std::byte* data() const { return memory_.get(); }
  std::size_t capacity() const { return capacity_; }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t capacity_ = 0;
};

}  // namespace sterna::comm
