#pragma once

#include "md/core/box.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

/// A cuboid in unsheared coordinates, which in a triclinic box has leaning edges in space: lower <=
/// coordinate < upper along each axis.
struct Region {
  Vec3 lower, upper;

  bool contains(const Vec3& p) const {
    return p.x >= lower.x && p.x < upper.x && p.y >= lower.y && p.y < upper.y && p.z >= lower.z &&
           p.z < upper.z;
  }
  friend bool operator==(const Region&, const Region&) = default;
};

/// The division of the box among the ranks, equal on all ranks. Every wrapped position has exactly
/// one owner: `region(rank).contains(unsheared)` is true if and only if `owner(unsheared) == rank`,
/// without exceptions by rounding.
class Decomposition {
 public:
  virtual ~Decomposition() = default;
  virtual const Box& box() const = 0;
  virtual int rank_count() const = 0;
  virtual Region region(int rank) const = 0;
  /// The owner of a position, which must be wrapped into the box and given in unsheared coordinates
  /// (Box::shear).
  virtual int owner(const Vec3& unsheared) const = 0;
};

}  // namespace sterna::md
