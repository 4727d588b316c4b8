#include "md/dynamics/selection.hpp"

namespace sterna::md {

bool Selection::has_region() const {
  for (int axis = 0; axis < 3; ++axis) {
    if (lower[axis] > -infinite || upper[axis] < infinite) return true;
  }
  return false;
}

bool Selection::contains(const Position& position, const Box& box) const {
  if (type >= 0 && position.type != type) return false;
  if (!has_region()) return true;
  // Between two rebuilds particles may be outside the box.
  int image[3];
  const Vec3 place = box.wrap(position.vector(), image);
  for (int axis = 0; axis < 3; ++axis) {
    if (place[axis] <= lower[axis] || place[axis] >= upper[axis]) return false;
  }
  return true;
}

}  // namespace sterna::md
