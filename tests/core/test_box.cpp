#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "md/core/box.hpp"

using namespace sterna::md;

namespace {

Vec3 random_vector(std::mt19937_64& engine, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  const double x = uniform(engine), y = uniform(engine);
  return {x, y, uniform(engine)};
}

const Box kBoxes[] = {{{3, 4, 5}},
                      {{3, 4, 5}, {1.2, -0.7, 2.0}},
                      {{2, 1, 3}, {-1.0, 1.0, 0.5}},
                      {{1, 1, 1}, {7.3, -4.1, 2.9}}};

}  // namespace

TEST_CASE("wrapping takes off whole lattice vectors and ends inside, bit for bit") {
  std::mt19937_64 engine(3);
  for (const Box& box : kBoxes) {
    CAPTURE(box.tilt.xy);
    const Shear shear = box.shear();
    for (int trial = 0; trial < 20000; ++trial) {
      Vec3 start = random_vector(engine, 20.0);
      if (trial % 4 == 0) {
        // On the faces, where rounding decides.
        const double a = std::floor(start.x), b = std::floor(start.y), c = std::floor(start.z);
        start = box.translation(a, b, c);
        if (trial % 8 == 0) start += box.translation(0.0, 0.3, 0.0);
      }
      int image[3];
      const Vec3 inside = box.wrap(start, image);
      const Vec3 unsheared = shear.unsheared(inside);
      for (int axis = 0; axis < 3; ++axis) {
        REQUIRE(unsheared[axis] >= 0.0);
        REQUIRE(unsheared[axis] < box.length[axis]);
      }
      const Vec3 back = inside + box.translation(image[0], image[1], image[2]) - start;
      REQUIRE(std::sqrt(dot(back, back)) < 1e-12);
      // What is inside stays as it is.
      int again[3];
      REQUIRE(box.wrap(inside, again) == inside);
      REQUIRE(again[0] == 0);
      REQUIRE(again[1] == 0);
      REQUIRE(again[2] == 0);
    }
  }
}

TEST_CASE("unsheared coordinates are the fractions of the edges times their lengths") {
  std::mt19937_64 engine(5);
  for (const Box& box : kBoxes) {
    for (int trial = 0; trial < 100; ++trial) {
      const Vec3 fraction = random_vector(engine, 2.0);
      const Vec3 position = box.translation(fraction.x, fraction.y, fraction.z);
      const Vec3 unsheared = box.shear().unsheared(position);
      const Vec3 again = box.shear().position(unsheared);
      for (int axis = 0; axis < 3; ++axis) {
        CHECK(unsheared[axis] ==
              doctest::Approx(fraction[axis] * box.length[axis]).scale(20.0).epsilon(1e-14));
        CHECK(again[axis] == doctest::Approx(position[axis]).scale(20.0).epsilon(1e-14));
      }
    }
  }
}

TEST_CASE("without a tilt unsheared coordinates are the position, bit for bit") {
  std::mt19937_64 engine(7);
  const Box box{{3, 4, 5}};
  for (int trial = 0; trial < 100; ++trial) {
    const Vec3 position = random_vector(engine, 9.0);
    CHECK(box.shear().unsheared(position) == position);
    CHECK(box.shear().position(position) == position);
  }
  CHECK(box.heights() == box.length);
  CHECK(box.shear().extent(1.7) == Vec3{1.7, 1.7, 1.7});
}

TEST_CASE("heights are volume over area, and no distance extends farther") {
  std::mt19937_64 engine(9);
  for (const Box& box : kBoxes) {
    const auto edges = box.edges();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Vec3 &u = edges[(axis + 1) % 3], &v = edges[(axis + 2) % 3];
      const Vec3 normal{u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
      const double height = box.volume() / std::sqrt(dot(normal, normal));
      CHECK(box.heights()[static_cast<int>(axis)] == doctest::Approx(height).epsilon(1e-14));
    }
    const Vec3 extent = box.shear().extent(1.0);
    Vec3 farthest;
    for (int trial = 0; trial < 20000; ++trial) {
      const Vec3 v = random_vector(engine, 1.0);
      const Vec3 unsheared = box.shear().unsheared(v * (1.0 / std::sqrt(dot(v, v))));
      for (int axis = 0; axis < 3; ++axis) {
        farthest[axis] = std::fmax(farthest[axis], std::abs(unsheared[axis]));
      }
    }
    for (int axis = 0; axis < 3; ++axis) {
      CHECK(farthest[axis] <= extent[axis] * (1.0 + 1e-14));
      CHECK(farthest[axis] > 0.98 * extent[axis]);
    }
  }
}

TEST_CASE("the nearest image is the nearest of all") {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> uniform(-20.0, 20.0);
  for (const Tilt& tilt : {Tilt{}, Tilt{1.9, -2.4, 3.1}, Tilt{-2.5, 2.5, -3.4}}) {
    const Box box{{5.0, 7.0, 9.0}, tilt};
    for (int k = 0; k < 200; ++k) {
      const Vec3 connection{uniform(engine), uniform(engine), uniform(engine)};
      const Vec3 nearest = box.nearest_image(connection);
      double least = HUGE_VAL;
      bool is_image = false;
      for (int a = -9; a <= 9; ++a) {
        for (int b = -7; b <= 7; ++b) {
          for (int c = -5; c <= 5; ++c) {
            const Vec3 image = connection + box.translation(a, b, c);
            const Vec3 difference = image - nearest;
            least = std::min(least, dot(image, image));
            is_image = is_image || dot(difference, difference) < 1e-20;
          }
        }
      }
      CHECK(is_image);
      CHECK(dot(nearest, nearest) == doctest::Approx(least).epsilon(1e-12));
    }
  }
}
