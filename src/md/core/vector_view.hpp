#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "md/core/vector.hpp"

namespace sterna::md {

/// A view of vectors at a constant stride in memory: an array of Vec3, or the first three numbers
/// of larger records, such as positions in the particle store.
class VectorView {
 public:
  VectorView() = default;
  VectorView(std::span<const Vec3> vectors)
      : first_(vectors.empty() ? nullptr : &vectors.front().x), size_(vectors.size()) {}
  VectorView(const std::vector<Vec3>& vectors) : VectorView(std::span(vectors)) {}
  /// `first` points to x of the first vector; y and z follow it. `stride` counts doubles.
  VectorView(const double* first, std::size_t stride, std::size_t size)
      : first_(first), stride_(stride), size_(size) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Vec3 operator[](std::size_t i) const {
    const double* const at = first_ + i * stride_;
    return {at[0], at[1], at[2]};
  }

 private:
  const double* first_ = nullptr;
  std::size_t stride_ = 3, size_ = 0;
};

}  // namespace sterna::md
