#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "md/core/vector.hpp"

namespace sterna::md {

/// Vectors of local particles and ghosts, addressed by places in the store. The two parts are
/// separate views, so that vectors of local particles need not be copied next to those of ghosts.
template <class Vector>
class BasicGhostedVectors {
 public:
  BasicGhostedVectors(std::span<Vector> local, std::span<Vector> ghosts)
      : local_(local), ghosts_(ghosts) {}
  /// The vectors of ghosts follow those of local particles in one array.
  BasicGhostedVectors(std::span<Vector> all, std::size_t local_count)
      : BasicGhostedVectors(all.first(local_count), all.subspan(local_count)) {}
  template <class Other>
  requires(std::is_const_v<Vector> && !std::is_const_v<Other>)
      BasicGhostedVectors(const BasicGhostedVectors<Other>& other)
      : local_(other.local()), ghosts_(other.ghosts()) {}

  std::span<Vector> local() const { return local_; }
  std::span<Vector> ghosts() const { return ghosts_; }
  std::size_t size() const { return local_.size() + ghosts_.size(); }
  Vector& operator[](std::size_t place) const {
    return place < local_.size() ? local_[place] : ghosts_[place - local_.size()];
  }

 private:
  std::span<Vector> local_, ghosts_;
};

using GhostedVectors = BasicGhostedVectors<Vec3>;
using ConstGhostedVectors = BasicGhostedVectors<const Vec3>;

}  // namespace sterna::md
