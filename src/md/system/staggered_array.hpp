#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

/// A growable array of trivially copyable items that begins at one of nine offsets in a page. A
/// load waits for an earlier store whose address has the same lower twelve bits. So arrays that a
/// loop reads and writes side by side must begin at different offsets. Large arrays from the C++
/// library begin at equal or similar offsets, and a loop may then take three times as long.
template <class T>
class StaggeredArray {
 public:
  /// `place` selects the offset, 0 to 8.
  explicit StaggeredArray(int place) : place_(static_cast<std::uintptr_t>(place) * apart) {}

  /// Keeps the first min(old, new) items; the new ones are `value`.
  void resize(std::size_t size, T value = {}) {
    if (size > capacity_) grow(size + size / 8);
    if (size > size_) std::fill(data_ + size_, data_ + size, value);
    size_ = size;
  }
  void assign(std::size_t size, T value) {
    size_ = 0;
    resize(size, value);
  }
  /// Frees the memory.
  void release() {
    memory_.release();
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  static constexpr std::uintptr_t page = 4096;
  /// Bytes between offsets: whole cache lines, so that arrays keep the alignment of their memory.
  static constexpr std::uintptr_t apart = 448;

  void grow(std::size_t capacity) {
    AlignedBuffer<T> grown;
    grown.reserve(capacity + page / sizeof(T));
    const auto address = reinterpret_cast<std::uintptr_t>(grown.data());
    T* const data = grown.data() + ((place_ - address) % page) / sizeof(T);
    std::copy_n(data_, size_, data);
    memory_ = std::move(grown);
    data_ = data;
    capacity_ = capacity;
  }

  std::uintptr_t place_;
  AlignedBuffer<T> memory_;
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace sterna::md
