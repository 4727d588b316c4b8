#pragma once

#include <array>
#include <cmath>

#include "md/core/shear.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

/// Offsets of the edges of a triclinic box: b = (xy, y, 0) and c = (xz, yz, z).
struct Tilt {
  double xy = 0.0, xz = 0.0, yz = 0.0;  ///< internal length unit
  bool none() const { return xy == 0.0 && xz == 0.0 && yz == 0.0; }
  friend bool operator==(const Tilt&, const Tilt&) = default;
};

/// Periodic box with one corner at the origin and edges (length.x, 0, 0), (xy, length.y, 0) and
/// (xz, yz, length.z). Without a tilt it is orthorhombic. At every rebuild, positions are wrapped
/// so that their unsheared coordinates (see Shear) are in [0, length) along each axis. Readers
/// shift positions into this convention.
struct Box {
  Vec3 length;  ///< of each edge along its axis; internal length unit
  Tilt tilt = {};

  friend bool operator==(const Box&, const Box&) = default;
  double volume() const { return length.x * length.y * length.z; }
  Shear shear() const { return {tilt.xy / length.y, tilt.xz / length.z, tilt.yz / length.z}; }
  std::array<Vec3, 3> edges() const {
    return {Vec3{length.x, 0.0, 0.0}, Vec3{tilt.xy, length.y, 0.0},
            Vec3{tilt.xz, tilt.yz, length.z}};
  }
  /// The lattice vector a a_1 + b a_2 + c a_3 of the edges a_1, a_2, a_3.
  Vec3 translation(double a, double b, double c) const {
    return {a * length.x + (b * tilt.xy + c * tilt.xz), b * length.y + c * tilt.yz, c * length.z};
  }
  /// Distances between opposite faces. A sphere does not touch its own images if its radius is
  /// below half of the smallest height.
  Vec3 heights() const {
    const Vec3 stretch = shear().extent(1.0);
    return {length.x / stretch.x, length.y / stretch.y, length.z / stretch.z};
  }
  double least_height() const {
    const Vec3 heights = this->heights();
    return std::fmin(heights.x, std::fmin(heights.y, heights.z));
  }
  /// The shortest vector that differs from `connection` by a lattice vector.
  Vec3 nearest_image(Vec3 connection) const {
    const std::array<Vec3, 3> edges = this->edges();
    for (int axis = 2; axis >= 0; --axis) {
      const double crossings = std::round(connection[axis] / length[axis]);
      connection -= crossings * edges[static_cast<std::size_t>(axis)];
    }
    if (tilt.none()) return connection;
    Vec3 best = connection;
    for (int a = -1; a <= 1; ++a) {
      for (int b = -1; b <= 1; ++b) {
        for (int c = -1; c <= 1; ++c) {
          const Vec3 image = connection + translation(a, b, c);
          if (dot(image, image) < dot(best, best)) best = image;
        }
      }
    }
    return best;
  }
  /// Multiplies all edges by the factor.
  void scale(double factor) {
    length *= factor;
    tilt = {tilt.xy * factor, tilt.xz * factor, tilt.yz * factor};
  }

  /// The position wrapped into the box; `image` gets the number of edges subtracted, for each edge.
  Vec3 wrap(Vec3 position, int (&image)[3]) const {
    const Shear shear = this->shear();
    const std::array<Vec3, 3> edges = this->edges();
    const auto unsheared = [&](int axis) { return position[axis] - shear.offset(position, axis); };
    // Start with the last edge: subtracting an earlier edge does not change later coordinates.
    for (int axis = 2; axis >= 0; --axis) {
      const Vec3& edge = edges[static_cast<std::size_t>(axis)];
      const double crossings = std::floor(unsheared(axis) / length[axis]);
      position -= crossings * edge;
      image[axis] = static_cast<int>(crossings);
      // Just below a multiple of the length the quotient may round up to the next image.
      if (unsheared(axis) < 0.0) {
        position += edge;
        --image[axis];
      }
      // A tiny negative coordinate rounds up to the length itself, which belongs to the next image.
      if (unsheared(axis) >= length[axis]) {
        position -= edge;
        ++image[axis];
      }
      // Rounding of the subtracted tilt may leave a tiny negative coordinate.
      if (unsheared(axis) < 0.0) position[axis] = shear.offset(position, axis);
    }
    return position;
  }
};

}  // namespace sterna::md
