// Idea:    trilateration. A point whose distances to points that are placed already fix it is
//          placed next. Where all of these lie in one line or plane and it does not, either side
//          will do, the first time: that is the mirror.
// Source:  Dong and Wu, J. Glob. Optim. 22, 365 (2002), who place atoms of proteins so.
// Cost:    the number of points times that of distances, once for a kind of molecule. A chain, which
//          has too few distances, costs nothing.
// Hazards: distances may fix points only all together, without an order in which one follows from
//          those before; then none is found, and the caller takes it for flexible.
// Others:  least squares of all distances, where they have errors.

#include "md/system/rigid_shape.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {
namespace {

/// The square of a height that is no more than rounding, relative to that of the largest distance.
constexpr double rounding = 1e-10;

struct Known {
  Vec3 point;
  double distance;
};

/// Where a point is, from its distances to others: below it in the line, plane or space of these.
struct Located {
  Vec3 below;
  double squared_height;
  int dimension;  ///< of what the others span
};

Located locate(std::span<const Known> known, double no_height) {
  const Known& origin = known.front();
  Located located{origin.point, origin.distance * origin.distance, 0};
  Vec3 axes[3];
  const auto beside_axes = [&](const Known& other) {
    Vec3 arm = other.point - origin.point;
    for (int axis = 0; axis < located.dimension; ++axis) arm -= dot(arm, axes[axis]) * axes[axis];
    return arm;
  };
  const auto height = [&](const Known& other) {
    const Vec3 arm = beside_axes(other);
    return dot(arm, arm);
  };
  while (located.dimension < 3) {
    const Known& next = *std::ranges::max_element(known, {}, height);
    const double squared = height(next);
    if (squared <= no_height) break;
    Vec3& axis = axes[located.dimension];
    axis = (1.0 / std::sqrt(squared)) * beside_axes(next);
    const Vec3 arm = next.point - origin.point, found = located.below - origin.point;
    const double along_arm =
        0.5 * (dot(arm, arm) + origin.distance * origin.distance - next.distance * next.distance);
    const double along = (along_arm - dot(found, arm)) / dot(axis, arm);
    located.below += along * axis;
    located.squared_height -= along * along;
    ++located.dimension;
  }
  return located;
}

}  // namespace

std::optional<RigidShape> rigid_shape(std::size_t count, std::span<const PointDistance> distances,
                                      double tolerance) {
  // In a line each point needs two distances, but for the first two.
  if (count < 2 || distances.size() + 3 < 2 * count) return std::nullopt;
  const double scale = std::ranges::max(distances, {}, &PointDistance::distance).distance;
  // The square of a height below which points lie in the line or plane.
  const double no_height = std::max(rounding, tolerance) * scale * scale;
  struct Joined {
    std::uint32_t point;
    double distance;
  };
  std::vector<std::vector<Joined>> joined(count);
  for (const auto& [first, second, distance] : distances) {
    joined[first].push_back({second, distance});
    joined[second].push_back({first, distance});
  }
  RigidShape shape{std::vector<Vec3>(count), 0};
  std::vector<bool> is_placed(count, false);
  is_placed[0] = true;
  for (std::size_t placed = 1; placed < count; ++placed) {
    bool found = false;
    for (std::uint32_t point = 0; point < count && !found; ++point) {
      if (is_placed[point]) continue;
      std::vector<Known> known;
      for (const auto& [other, distance] : joined[point]) {
        if (is_placed[other]) known.push_back({shape.points[other], distance});
      }
      if (known.empty()) continue;
      const Located located = locate(known, no_height);
      // No height in space: there distances that contradict each other show at the end.
      const bool below = located.dimension == 3 || std::abs(located.squared_height) <= no_height;
      if (!below && located.squared_height < 0.0) return std::nullopt;
      const bool beside_all = located.dimension == shape.dimension;
      if (!below && !beside_all) continue;
      shape.points[point] = located.below;
      // All that is placed lies along the first axes.
      if (!below) shape.points[point][shape.dimension++] += std::sqrt(located.squared_height);
      is_placed[point] = found = true;
    }
    if (!found) return std::nullopt;
  }
  const auto is_kept = [&](const PointDistance& asked) {
    const double distance = length(shape.points[asked.first] - shape.points[asked.second]);
    return std::abs(distance - asked.distance) <= tolerance * asked.distance;
  };
  if (!std::ranges::all_of(distances, is_kept)) return std::nullopt;
  return shape;
}

}  // namespace sterna::md
