#pragma once

#include <cstdint>
#include <vector>

#include "md/core/vector.hpp"
#include "md/forces/molecular/molecular_work.hpp"
#include "md/model/molecule_model.hpp"

namespace sterna::md {

/// The columns of the kernels in which the sites of a component are, and the axes of which the
/// sites are sums.
class SiteColumns {
 public:
  /// Sites without any interaction take no memory.
  SiteColumns(const Component& component, bool with_charges);
  /// Those of a component whose sites are in no columns, but in its whole body frame.
  static SiteColumns of_large_body();

  std::vector<Vec3> points;  ///< points outside the center
  std::vector<Vec3> directions;
  std::vector<Vec3> axes;
  /// coordinates by these axes: of the center, points, directions
  std::vector<SiteVector> vectors;
  std::vector<std::uint32_t> dipole_direction, quadrupole_direction;

  /// The column of a point.
  std::uint32_t point(const Vec3& position) const;
  /// True if all points and directions are on one axis, whose length is one.
  bool linear() const { return axes.size() == 1; }
  /// The distance of the farthest point from the center.
  double extent() const;

 private:
  void add_point(const Vec3& position);
  /// Adds a vector by its coordinates along the present axes. If a part of it beyond rounding is
  /// left, the vector itself becomes another axis.
  void add_vector(const Vec3& vector);

  std::vector<Vec3> frame_;                       ///< an orthonormal frame
  double axis_parts_[most_axes][most_axes] = {};  ///< coordinates of the axes in this frame
};

}  // namespace sterna::md
