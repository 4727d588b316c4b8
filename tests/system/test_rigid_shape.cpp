// Points from the distances between them, against points that were drawn.

#include "md/system/rigid_shape.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace sterna::md;

namespace {

double between(const Vec3& a, const Vec3& b) {
  const Vec3 d = a - b;
  return std::sqrt(dot(d, d));
}

/// In the first `dimension` directions, then turned out of them.
std::vector<Vec3> drawn(std::size_t count, int dimension, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  std::vector<Vec3> axes(3);
  for (Vec3& axis : axes) {
    for (int k = 0; k < 3; ++k) axis[k] = normal(engine);
  }
  std::vector<Vec3> points(count);
  for (Vec3& point : points) {
    for (int k = 0; k < dimension; ++k) {
      point += normal(engine) * axes[static_cast<std::size_t>(k)];
    }
  }
  return points;
}

std::vector<PointDistance> distances_of(const std::vector<Vec3>& points,
                                        const std::vector<std::pair<int, int>>& left_out = {}) {
  std::vector<PointDistance> distances;
  for (std::uint32_t a = 0; a < points.size(); ++a) {
    for (std::uint32_t b = a + 1; b < points.size(); ++b) {
      if (std::ranges::find(left_out, std::pair<int, int>(a, b)) != left_out.end()) continue;
      distances.push_back({b, a, between(points[a], points[b])});
    }
  }
  return distances;
}

}  // namespace

TEST_CASE("all distances of points give the points") {
  std::mt19937_64 engine(3);
  for (int dimension = 1; dimension <= 3; ++dimension) {
    for (std::size_t count = static_cast<std::size_t>(dimension) + 1; count < 12; ++count) {
      CAPTURE(dimension);
      CAPTURE(count);
      const std::vector<Vec3> points = drawn(count, dimension, engine);
      const auto shape = rigid_shape(count, distances_of(points), 1e-8);
      REQUIRE(shape);
      CHECK(shape->dimension == dimension);
      CHECK(shape->degrees_of_freedom() == (dimension == 1 ? 5 : 6));
      for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          CHECK(between(shape->points[a], shape->points[b]) ==
                doctest::Approx(between(points[a], points[b])).epsilon(1e-8));
        }
      }
    }
  }
}

TEST_CASE("points that distances leave free are no body") {
  std::mt19937_64 engine(5);
  const std::vector<Vec3> four = drawn(4, 3, engine), five = drawn(5, 3, engine);
  // Two triangles turn about their common side.
  CHECK_FALSE(rigid_shape(4, distances_of(four, {{0, 3}}), 1e-8));
  // The last two points may be on the same side of the first three or not.
  CHECK_FALSE(rigid_shape(5, distances_of(five, {{3, 4}}), 1e-8));
  // Two of three: an angle bends.
  CHECK_FALSE(rigid_shape(3, distances_of(drawn(3, 2, engine), {{0, 2}}), 1e-8));
  CHECK_FALSE(rigid_shape(2, {}, 1e-8));
  // Each point with four distances to others is enough for the fifth.
  CHECK(rigid_shape(6, distances_of(drawn(6, 3, engine), {{4, 5}}), 1e-8));
}

TEST_CASE("distances that contradict each other are no body") {
  std::mt19937_64 engine(7);
  auto distances = distances_of(drawn(5, 3, engine));
  distances.back().distance *= 1.0 + 1e-6;
  CHECK_FALSE(rigid_shape(5, distances, 1e-8));
  CHECK(rigid_shape(5, distances, 1e-5));
  // No triangle has such sides.
  const PointDistance sides[] = {{0, 1, 1.0}, {1, 2, 1.0}, {0, 2, 2.5}};
  CHECK_FALSE(rigid_shape(3, sides, 1e-3));
}
