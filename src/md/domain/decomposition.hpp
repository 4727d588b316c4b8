#pragma once

#include "md/core/box.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

/// A box of unsheared coordinates, which in a triclinic box is one of space with leaning edges:
/// lower <= coordinate < upper per axis.
struct Region {
  Vec3 lower, upper;

  bool contains(const Vec3& p) const {
    return p.x >= lower.x && p.x < upper.x && p.y >= lower.y && p.y < upper.y && p.z >= lower.z &&
           p.z < upper.z;
  }
  friend bool operator==(const Region&, const Region&) = default;
};

/// Divides the box among the ranks: every wrapped position has exactly one owner, and
/// `region(rank).contains(unsheared)` is true exactly where `owner(unsheared) == rank`, bit for
/// bit. The same on all ranks.
class Decomposition {
 public:
  virtual ~Decomposition() = default;
  virtual const Box& box() const = 0;
  virtual int rank_count() const = 0;
  virtual Region region(int rank) const = 0;
  /// Of the unsheared coordinates (Box::shear) of a position, which must be wrapped into the box.
  virtual int owner(const Vec3& unsheared) const = 0;
};

}  // namespace sterna::md
