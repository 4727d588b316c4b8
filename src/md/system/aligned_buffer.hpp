#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace sterna::md {

/// A growable array of trivially copyable items on a 64-byte boundary. A large array is on huge
/// pages if the system has them. New items are not initialized: touching two million items twice
/// would cost more than filling them once.
template <class T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size) { resize(size); }
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~AlignedBuffer() { std::free(data_); }

  /// Keeps the first min(old, new) items; grows by an eighth more than asked.
  void resize(std::size_t size) {
    if (size > capacity_) grow(size + size / 8 + 64, size);
    size_ = size;
  }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) grow(capacity, capacity);
  }
  /// Like `resize`, but keeps no item. Memory is touched only when the caller writes to it.
  void renew(std::size_t size) {
    if (size > capacity_) release();
    resize(size);
  }
  /// Frees the memory.
  void release() { *this = AlignedBuffer(); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }
  void swap(AlignedBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  static constexpr std::size_t huge_page = std::size_t{1} << 21;

  /// `used` is the number of items needed now; the rest of `capacity` is reserve.
  void grow(std::size_t capacity, std::size_t used) {
    const std::size_t items = capacity * sizeof(T);
    const std::size_t alignment = items / huge_page >= 2 ? huge_page : 64;
    const std::size_t bytes = (items + alignment - 1) / alignment * alignment;
    T* grown = static_cast<T*>(std::aligned_alloc(alignment, bytes));
    if (grown == nullptr) throw std::bad_alloc();
    // Huge pages make page walks rarer; if the system refuses them, nothing is lost. The part that
    // fills no whole huge page stays on small pages, because a huge page is allocated as a whole.
    if (alignment == huge_page) {
      const std::size_t filled = used * sizeof(T) / huge_page * huge_page;
      static_cast<void>(madvise(grown, filled, MADV_HUGEPAGE));
    }
    if (size_ > 0) std::memcpy(static_cast<void*>(grown), data_, size_ * sizeof(T));
    std::free(data_);
    data_ = grown;
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace sterna::md
