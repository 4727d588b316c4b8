// Idea:    trilateration. A point is placed once its distances to placed points determine it. If
//          all placed points lie in one line or plane and the new one does not, either side is
//          taken, because the mirror image has the same distances.
// Source:  Dong and Wu, J. Glob. Optim. 22, 365 (2002), who place atoms of proteins so.
// Cost:    points times distances, once for each kind of molecule. A chain has too few distances
//          and is rejected at once.
// Hazards: distances may determine the points only jointly, without an order in which each follows
//          from earlier ones. Then no shape is found, and the molecule counts as flexible.
// Others:  least squares over all distances, if they have errors.

#include "md/system/rigid_shape.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {
namespace {

/// The square of a height that is only rounding error, relative to the largest squared distance.
constexpr double rounding = 1e-10;

struct Known {
  Vec3 point;
  double distance;
};

/// A point from its distances to others: its foot in the line, plane or space that they span, and
/// its height above it.
struct Located {
  Vec3 below;
  double squared_height;
  int dimension;  ///< of the span of the others
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
  // Even on a line each point needs two distances, except for the first two points.
  if (count < 2 || distances.size() + 3 < 2 * count) return std::nullopt;
  const double scale = std::ranges::max(distances, {}, &PointDistance::distance).distance;
  // A point with a smaller squared height lies in the line or plane.
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
      // In space no height is left over; the check at the end finds contradicting distances.
      const bool below = located.dimension == 3 || std::abs(located.squared_height) <= no_height;
      if (!below && located.squared_height < 0.0) return std::nullopt;
      const bool beside_all = located.dimension == shape.dimension;
      if (!below && !beside_all) continue;
      shape.points[point] = located.below;
      // The points placed so far span the first `dimension` axes, so the height goes along the next
      // axis.
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
