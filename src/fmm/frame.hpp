#pragma once

#include <array>

#include "md/core/box.hpp"
#include "md/core/vector.hpp"
#include "sterna/fmm.hpp"

namespace sterna::fmm {

/// A caller's coordinates and those of the engine's box, whose first edge lies along x, whose second one
/// lies in the plane of x and y, and whose corner is the origin. The box has the edges of the lattice that
/// are nearest to right angles. A turn, or a reflection, leads from one to the other.
class Frame {
 public:
  /// The box of a lattice. Throws comm::Error if an edge is not finite, or lies in the plane of the others.
  explicit Frame(const Edges& edges);
  /// A box along the axes, with its corner at `origin`.
  Frame(const md::Vec3& origin, const md::Vec3& lengths);

  const md::Box& box() const { return box_; }
  md::Vec3 to_box(const md::Vec3& position) const { return turned(position - origin_); }
  md::Vec3 from_box(const md::Vec3& vector) const {
    return vector.x * axes_[0] + vector.y * axes_[1] + vector.z * axes_[2];
  }
  /// A symmetric tensor of the box, xx yy zz xy xz yz, as nine numbers of the caller's.
  std::array<double, 9> from_box(const std::array<double, 6>& tensor) const;

 private:
  md::Vec3 turned(const md::Vec3& vector) const {
    return {dot(axes_[0], vector), dot(axes_[1], vector), dot(axes_[2], vector)};
  }

  md::Vec3 origin_;
  std::array<md::Vec3, 3> axes_{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  ///< of the box, for the caller
  md::Box box_;
};

}  // namespace sterna::fmm
