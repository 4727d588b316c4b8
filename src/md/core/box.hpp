#pragma once

#include <cmath>

#include "md/core/vector.hpp"

namespace sterna::md {

/// Orthorhombic periodic box with one corner at the origin. Positions in the program are wrapped
/// into [0, length) per axis at every rebuild; readers shift what they read.
struct Box {
  Vec3 length;  ///< internal length unit

  double volume() const { return length.x * length.y * length.z; }
  /// Position in the box, and in `image` how many box lengths were taken off per axis.
  Vec3 wrap(Vec3 position, int (&image)[3]) const {
    for (int axis = 0; axis < 3; ++axis) {
      const double crossings = std::floor(position[axis] / length[axis]);
      position[axis] -= crossings * length[axis];
      image[axis] = static_cast<int>(crossings);
      // Just below a multiple of the length the quotient may round up to the next image.
      if (position[axis] < 0.0) {
        position[axis] += length[axis];
        --image[axis];
      }
      // A tiny negative coordinate rounds up to the length itself, which belongs to the next image.
      if (position[axis] >= length[axis]) {
        position[axis] -= length[axis];
        ++image[axis];
      }
    }
    return position;
  }
};

}  // namespace sterna::md
