#include "md/system/selection.hpp"

#include <algorithm>

namespace sterna::md {

bool Selection::has_region() const {
  for (int axis = 0; axis < 3; ++axis) {
    if (lower[axis] > -infinite || upper[axis] < infinite) return true;
  }
  return false;
}

bool Selection::contains(const Position& position, const Box& box) const {
  if (!contains_type(position.type)) return false;
  if (!has_region()) return true;
  // Particles may be outside the box between two rebuilds.
  int image[3];
  const Vec3 place = box.wrap(position.vector(), image);
  for (int axis = 0; axis < 3; ++axis) {
    if (place[axis] <= lower[axis] || place[axis] >= upper[axis]) return false;
  }
  return true;
}

int slab_along_y(const Selection& where, int slabs, const Position& position, const Box& box) {
  if (!where.contains(position, box)) return -1;
  if (slabs == 1) return 0;
  int image[3];
  const double y = box.wrap(position.vector(), image).y;
  const double lower = std::max(where.lower.y, 0.0);
  const double width = (std::min(where.upper.y, box.length.y) - lower) / slabs;
  return std::min(static_cast<int>((y - lower) / width), slabs - 1);
}

}  // namespace sterna::md
