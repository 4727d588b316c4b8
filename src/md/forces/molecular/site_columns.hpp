#pragma once

#include <cstdint>
#include <vector>

#include "md/core/vector.hpp"
#include "md/forces/molecular/molecular_work.hpp"
#include "md/model/molecule_model.hpp"

namespace sterna::md {

/// Where the sites of a component stand in the columns of the kernels, and the axes of which they are
/// sums.
class SiteColumns {
 public:
  /// Sites that interact with none take no memory.
  SiteColumns(const Component& component, bool with_charges);

  std::vector<Vec3> points;  ///< outside the center
  std::vector<Vec3> directions;
  std::vector<Vec3> axes;
  std::vector<SiteVector> vectors;  ///< by these axes: center, points, directions
  std::vector<std::uint32_t> dipole_direction, quadrupole_direction;

  /// The column of a point.
  std::uint32_t point(const Vec3& position) const;
  /// Whether all is on one axis, whose length is one.
  bool linear() const { return axes.size() == 1; }
  /// The distance of the farthest point from the center.
  double extent() const;

 private:
  void add_point(const Vec3& position);
  /// By the axes that there are, and itself as one more if it has a part beyond these and rounding.
  void add_vector(const Vec3& vector);

  std::vector<Vec3> frame_;  ///< of length one and at right angles to each other
  double axis_parts_[most_axes][most_axes] = {};  ///< the axes by this frame
};

}  // namespace sterna::md
