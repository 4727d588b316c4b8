#include "md/model/body_frame.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

using namespace sterna::md;

namespace {

std::vector<PointMass> moved(std::vector<PointMass> masses, const Quaternion& turn,
                             const Vec3& shift) {
  for (PointMass& point : masses) point.position = turn.to_lab(point.position) + shift;
  return masses;
}

/// Of the points as the frame has them: their tensor must be diagonal, about the origin.
void check_is_principal(const BodyFrame& frame, const std::vector<PointMass>& masses) {
  Vec3 center, products, moments;
  for (const PointMass& point : masses) {
    const Vec3 r = frame.from_points(point.position);
    center += point.mass * r;
    products += point.mass * Vec3{r.y * r.z, r.z * r.x, r.x * r.y};
    moments +=
        point.mass * Vec3{r.y * r.y + r.z * r.z, r.z * r.z + r.x * r.x, r.x * r.x + r.y * r.y};
  }
  for (int axis = 0; axis < 3; ++axis) {
    INFO("axis ", axis);
    CHECK(std::abs(center[axis]) < 1e-12);
    CHECK(std::abs(products[axis]) < 1e-12);
    CHECK(std::abs(moments[axis] - frame.inertia[axis]) < 1e-12);
  }
  CHECK(frame.orientation.norm_squared() == doctest::Approx(1.0).epsilon(1e-14));
}

const std::vector<PointMass> asymmetric{{{1.0, 0.0, 0.0}, 1.0}, {{-1.0, 0.0, 0.0}, 1.0},
                                        {{0.0, 0.7, 0.0}, 2.0}, {{0.0, -0.7, 0.0}, 2.0},
                                        {{0.0, 0.0, 0.2}, 3.0}, {{0.0, 0.0, -0.2}, 3.0}};

}  // namespace

TEST_CASE("points at their principal axes keep their frame exactly") {
  const BodyFrame frame = body_frame(asymmetric);
  CHECK(frame.center == Vec3{});
  CHECK(frame.orientation == Quaternion{});
  CHECK(frame.inertia.x == doctest::Approx(2 * 2 * 0.49 + 2 * 3 * 0.04));
  CHECK(frame.inertia.y == doctest::Approx(2.0 + 2 * 3 * 0.04));
  CHECK(frame.inertia.z == doctest::Approx(2.0 + 2 * 2 * 0.49));
}

TEST_CASE("turned and moved points find their way back") {
  const std::array<Quaternion, 5> turns{Quaternion{1, 0.1, -0.2, 0.05}.normalized(),
                                        Quaternion{0.3, 0.9, 0.1, 0.3}.normalized(),
                                        Quaternion{0.01, 0.2, 1.0, -0.4}.normalized(),
                                        Quaternion{0, 0, 0.6, 0.8}, Quaternion{0.5, 0.5, 0.5, 0.5}};
  for (const Quaternion& turn : turns) {
    const auto masses = moved(asymmetric, turn, {3.0, -2.0, 5.0});
    check_is_principal(body_frame(masses), masses);
  }
}

TEST_CASE("a small turn of the points is a small turn of the frame") {
  const Quaternion turn = Quaternion{1.0, 0.02, -0.01, 0.03}.normalized();
  const BodyFrame frame = body_frame(moved(asymmetric, turn, {}));
  CHECK(frame.orientation.w == doctest::Approx(turn.w).epsilon(1e-9));
  CHECK(frame.orientation.x == doctest::Approx(turn.x).epsilon(1e-9));
  CHECK(frame.orientation.z == doctest::Approx(turn.z).epsilon(1e-9));
}

TEST_CASE("linear molecules and points do not turn about what has no moment") {
  const Vec3 direction{0.36, 0.48, 0.8};
  const std::vector<PointMass> rod{{0.5 * direction, 2.0}, {-0.5 * direction, 2.0}};
  const BodyFrame frame = body_frame(rod);
  check_is_principal(frame, rod);
  CHECK(frame.inertia == Vec3{frame.inertia.x, frame.inertia.y, 0.0});
  CHECK(frame.inertia.x == doctest::Approx(1.0));
  CHECK(frame.inertia.y == doctest::Approx(1.0));

  const std::vector<PointMass> point{{{1.0, 2.0, 3.0}, 5.0}, {{7.0, 0.0, 0.0}, 0.0}};
  CHECK(body_frame(point).inertia == Vec3{});
  CHECK(body_frame(point).center == Vec3{1.0, 2.0, 3.0});
}

TEST_CASE("equal moments") {
  // A methane molecule, turned: any axes will do.
  std::vector<PointMass> methane{{{0, 0, 0}, 12.0}};
  for (const Vec3& corner : {Vec3{1, 1, 1}, Vec3{1, -1, -1}, Vec3{-1, 1, -1}, Vec3{-1, -1, 1}}) {
    methane.push_back({0.0629 * corner, 1.0});
  }
  const auto masses = moved(methane, Quaternion{0.9, 0.3, 0.2, 0.1}.normalized(), {1, 1, 1});
  const BodyFrame frame = body_frame(masses);
  check_is_principal(frame, masses);
  CHECK(frame.inertia.x == doctest::Approx(8 * 0.0629 * 0.0629));
}
