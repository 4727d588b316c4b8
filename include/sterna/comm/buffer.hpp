#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace sterna::comm {

class MessagePool;

/// The place of a block in shared memory: the rank of this node that owns the pool, the slab of
/// that pool, and the offset in the slab.
struct Location {
  std::uint32_t owner = 0;
  std::uint32_t slab = 0;
  std::uint64_t offset = 0;
};

/// Memory from a messenger's pool, on bytes; use `Buffer<T>`. The object owns the memory. Within a
/// node it lies in memory that all ranks there map, so it changes its owner without a copy. The
/// destructor returns the memory to the pool that it came from, whichever rank has that pool.
class BufferBytes {
 public:
  BufferBytes() = default;
  BufferBytes(std::shared_ptr<MessagePool> pool, std::byte* data, std::size_t bytes,
              const Location& location)
      : pool_(std::move(pool)), data_(data), bytes_(bytes), location_(location) {}
  ~BufferBytes() { reset(); }
  BufferBytes(BufferBytes&& other) noexcept
      : pool_(std::move(other.pool_)),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        location_(other.location_) {}
  BufferBytes& operator=(BufferBytes&& other) noexcept {
    if (this == &other) return *this;
    reset();
    pool_ = std::move(other.pool_);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    location_ = other.location_;
    return *this;
  }

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  /// The buffer keeps its location itself, because the block's header has left the caches by the
  /// time a large array is written.
  const Location& location() const { return location_; }
  /// Gives the memory up without returning it to the pool, because another object owns it now.
  void hand_over() {
    data_ = nullptr;
    bytes_ = 0;
    pool_.reset();
  }
  void reset();

 private:
  std::shared_ptr<MessagePool> pool_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  Location location_;
};

/// Items of a trivially copyable type in pool memory. The items of a new buffer are not
/// initialized.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(BufferBytes bytes) : bytes_(std::move(bytes)) {}

  T* data() const { return reinterpret_cast<T*>(bytes_.data()); }
  std::size_t size() const { return bytes_.size() / sizeof(T); }
  std::span<T> items() const { return {data(), size()}; }
  T& operator[](std::size_t i) const { return data()[i]; }
  T* begin() const { return data(); }
  T* end() const { return data() + size(); }
  BufferBytes release() && { return std::move(bytes_); }

 private:
  BufferBytes bytes_;
};

}  // namespace sterna::comm
