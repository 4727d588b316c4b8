// Rigid bodies of atoms against what defines their motion: momenta stay, distances stay, a body that
// turns about a principal axis or is linear turns evenly.

#include "md/integrate/constraint_rotor.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "md/core/cross_product.hpp"

using namespace sterna::md;

namespace {

struct Body {
  std::string name;
  std::vector<Vec3> points;
  std::vector<double> masses;
};

/// Water, carbon dioxide, and a pyramid that differs from its mirror image.
std::vector<Body> bodies() {
  return {{"water", {{0, 0, 0}, {0.8, 0.6, 0}, {-0.8, 0.6, 0}}, {16, 1, 1}},
          {"line", {{0, 0, 0}, {1.16, 0, 0}, {-1.16, 0, 0}}, {12, 16, 16}},
          {"pyramid", {{0, 0, 0}, {1, 0, 0}, {0, 1.3, 0}, {0.2, 0.3, 1.6}}, {3, 5, 2, 7}}};
}

ConstraintRotor rotor_of(const Body& body, const char* kernels = "auto") {
  std::vector<PointDistance> distances;
  for (std::uint32_t a = 0; a < body.points.size(); ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      const Vec3 d = body.points[a] - body.points[b];
      distances.push_back({a, b, std::sqrt(dot(d, d))});
    }
  }
  std::vector<double> inverse;
  for (const double mass : body.masses) inverse.push_back(1.0 / mass);
  const auto shape = rigid_shape(body.points.size(), distances, 1e-10);
  REQUIRE(shape);
  const auto rotor = ConstraintRotor::of(*shape, inverse, kernels);
  REQUIRE(rotor);
  return *rotor;
}

Vec3 drawn(std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  const double x = normal(engine), y = normal(engine), z = normal(engine);
  return {x, y, z};
}

/// Three directions at right angles, of either hand.
struct Frame {
  Vec3 axis[3];
  Vec3 operator()(const Vec3& v) const { return v.x * axis[0] + v.y * axis[1] + v.z * axis[2]; }
};
Frame drawn_frame(std::mt19937_64& engine, bool mirrored) {
  Frame frame;
  const auto unit = [](const Vec3& v) { return (1.0 / std::sqrt(dot(v, v))) * v; };
  frame.axis[0] = unit(drawn(engine));
  frame.axis[1] = unit(cross(frame.axis[0], drawn(engine)));
  frame.axis[2] = cross(frame.axis[0], frame.axis[1]);
  if (mirrored) frame.axis[2] *= -1.0;
  return frame;
}

void put(RotorWork::Numbers (&rows)[3], std::size_t lane, const Vec3& v) {
  for (int axis = 0; axis < 3; ++axis) rows[axis][lane] = v[axis];
}
Vec3 vector_of(const RotorWork::Numbers (&rows)[3], std::size_t lane) {
  return {rows[0][lane], rows[1][lane], rows[2][lane]};
}

/// In any direction, on either side of the mirror, with any velocities.
RotorWork drawn_work(const Body& body, std::mt19937_64& engine) {
  RotorWork work{};
  for (std::size_t lane = 0; lane < rotors_together; ++lane) {
    const Frame frame = drawn_frame(engine, lane % 2 == 1);
    for (std::size_t k = 0; k < body.points.size(); ++k) {
      put(work.place[k], lane, frame(body.points[k] - body.points[0]));
      put(work.velocity[k], lane, drawn(engine));
    }
  }
  return work;
}

struct Momenta {
  Vec3 linear, angular;
};
/// About the center of mass.
Momenta momenta(const Body& body, const RotorWork& work, std::size_t lane) {
  Momenta sums;
  Vec3 center;
  double mass = 0.0;
  for (std::size_t k = 0; k < body.points.size(); ++k) {
    center += body.masses[k] * vector_of(work.place[k], lane);
    mass += body.masses[k];
  }
  center *= 1.0 / mass;
  for (std::size_t k = 0; k < body.points.size(); ++k) {
    const Vec3 velocity = vector_of(work.velocity[k], lane);
    sums.linear += body.masses[k] * velocity;
    sums.angular += body.masses[k] * cross(vector_of(work.place[k], lane) - center, velocity);
  }
  return sums;
}

double size(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

}  // namespace

TEST_CASE("a rigid motion has the momenta of the atoms, and changes no distance") {
  std::mt19937_64 engine(11);
  for (const Body& body : bodies()) {
    INFO(body.name);
    const ConstraintRotor rotor = rotor_of(body);
    RotorWork work = drawn_work(body, engine);
    const RotorWork before = work;
    rotor.project(work);
    for (std::size_t lane = 0; lane < rotors_together; ++lane) {
      const Momenta was = momenta(body, before, lane), is = momenta(body, work, lane);
      CHECK(size(is.linear - was.linear) < 1e-12);
      CHECK(size(is.angular - was.angular) < 1e-12);
      for (std::size_t a = 0; a < body.points.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          const Vec3 apart = vector_of(work.place[a], lane) - vector_of(work.place[b], lane);
          const Vec3 v = vector_of(work.velocity[a], lane) - vector_of(work.velocity[b], lane);
          CHECK(std::abs(dot(apart, v)) < 1e-12);
        }
      }
    }
    const RotorWork once = work;
    rotor.project(work);
    for (std::size_t k = 0; k < body.points.size(); ++k) {
      for (std::size_t lane = 0; lane < rotors_together; ++lane) {
        CHECK(size(vector_of(work.velocity[k], lane) - vector_of(once.velocity[k], lane)) < 1e-12);
      }
    }
  }
}

TEST_CASE("a free turn keeps momenta and distances, also where it is large") {
  std::mt19937_64 engine(13);
  for (const Body& body : bodies()) {
    for (const double time : {0.01, 3.0}) {
      INFO(body.name << ", time " << time);
      const ConstraintRotor rotor = rotor_of(body);
      RotorWork work = drawn_work(body, engine);
      const RotorWork before = work;
      rotor.turn(work, time);
      double mass = 0.0;
      for (const double m : body.masses) mass += m;
      for (std::size_t lane = 0; lane < rotors_together; ++lane) {
        const Momenta was = momenta(body, before, lane), is = momenta(body, work, lane);
        CHECK(size(is.linear - was.linear) < 1e-11);
        CHECK(size(is.angular - was.angular) < 1e-11);
        Vec3 moved;
        for (std::size_t a = 0; a < body.points.size(); ++a) {
          const Vec3 path = vector_of(work.path[a], lane);
          moved += (body.masses[a] / mass) * path;
          const Vec3 end = vector_of(before.place[a], lane) + path;
          for (std::size_t b = 0; b < a; ++b) {
            const Vec3 other = vector_of(before.place[b], lane) + vector_of(work.path[b], lane);
            CHECK(size(end - other) ==
                  doctest::Approx(size(body.points[a] - body.points[b])).epsilon(1e-13));
          }
        }
        CHECK(size(moved - (time / mass) * was.linear) < 1e-11);
      }
    }
  }
}

TEST_CASE("turns about a principal axis, and of a linear body, are even") {
  std::mt19937_64 engine(17);
  for (const Body& body : bodies()) {
    if (body.points.size() > 3) continue;
    INFO(body.name);
    const ConstraintRotor rotor = rotor_of(body);
    RotorWork work{};
    Frame frames[rotors_together];
    constexpr double speed = 0.9, time = 1.7;
    // About the direction that is normal to all three atoms.
    for (std::size_t lane = 0; lane < rotors_together; ++lane) {
      frames[lane] = drawn_frame(engine, false);
      for (std::size_t k = 0; k < 3; ++k) {
        put(work.place[k], lane, frames[lane](body.points[k]));
        put(work.velocity[k], lane, frames[lane](speed * cross(Vec3{0, 0, 1}, body.points[k])));
      }
    }
    Vec3 center;
    double mass = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      center += body.masses[k] * body.points[k];
      mass += body.masses[k];
    }
    center *= 1.0 / mass;
    const Vec3 drift = time * speed * cross(Vec3{0, 0, 1}, center);
    const RotorWork before = work;
    rotor.turn(work, time);
    const double c = std::cos(speed * time), s = std::sin(speed * time);
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 arm = body.points[k] - center;
      const Vec3 turned{c * arm.x - s * arm.y, s * arm.x + c * arm.y, arm.z};
      for (std::size_t lane = 0; lane < rotors_together; ++lane) {
        const Vec3 end = vector_of(before.place[k], lane) + vector_of(work.path[k], lane);
        CHECK(size(end - frames[lane](center + drift + turned)) < 1e-12);
      }
    }
  }
}

TEST_CASE("all instruction sets give the same bits") {
  std::mt19937_64 engine(19);
  for (const Body& body : bodies()) {
    const RotorWork start = drawn_work(body, engine);
    for (const double time : {0.02, 2.0}) {
      RotorWork wanted = start;
      rotor_of(body, "baseline").turn(wanted, time);
      for (const RotorKernels* kernels : available_rotor_kernels()) {
        INFO(body.name << ", " << std::string(kernels->name));
        RotorWork work = start;
        rotor_of(body, kernels->name).turn(work, time);
        for (std::size_t k = 0; k < body.points.size(); ++k) {
          CHECK(std::memcmp(work.path[k], wanted.path[k], sizeof work.path[k]) == 0);
          CHECK(std::memcmp(work.velocity[k], wanted.velocity[k], sizeof work.path[k]) == 0);
        }
      }
    }
  }
}

TEST_CASE("a fit is rigid, keeps the center of mass, and no small turn is nearer") {
  std::mt19937_64 engine(23);
  for (const Body& body : bodies()) {
    INFO(body.name);
    RotorWork work = drawn_work(body, engine);
    for (std::size_t k = 0; k < body.points.size(); ++k) {
      for (std::size_t lane = 0; lane < rotors_together; ++lane) {
        put(work.place[k], lane, vector_of(work.place[k], lane) + 0.05 * drawn(engine));
      }
    }
    const RotorWork before = work;
    rotor_of(body).fit(work);
    for (std::size_t lane = 0; lane < rotors_together; ++lane) {
      const auto fitted = [&](std::size_t k) {
        return vector_of(before.place[k], lane) + vector_of(work.path[k], lane);
      };
      Vec3 shift, torque;
      for (std::size_t a = 0; a < body.points.size(); ++a) {
        const Vec3 path = vector_of(work.path[a], lane);
        shift += body.masses[a] * path;
        torque += body.masses[a] * cross(fitted(a), path);
        CHECK(size(path) < 0.3);
        for (std::size_t b = 0; b < a; ++b) {
          CHECK(size(fitted(a) - fitted(b)) ==
                doctest::Approx(size(body.points[a] - body.points[b])).epsilon(1e-13));
        }
      }
      CHECK(size(shift) < 1e-12);
      CHECK(size(torque) < 1e-11);
    }
  }
}

TEST_CASE("bodies that turn too fast about an axis, or have a fixed atom, are no rotors") {
  const std::vector<PointDistance> distances{{0, 1, 1.0}, {1, 2, 1.0}, {0, 2, 1.9999}};
  const auto shape = rigid_shape(3, distances, 1e-10);
  REQUIRE(shape);
  CHECK(shape->dimension == 2);
  const double ones[] = {1, 1, 1}, fixed[] = {1, 0, 1};
  CHECK_FALSE(ConstraintRotor::of(*shape, ones));
  const std::vector<PointDistance> equal{{0, 1, 1.0}, {1, 2, 1.0}, {0, 2, 1.0}};
  CHECK(ConstraintRotor::of(*rigid_shape(3, equal, 1e-10), ones));
  CHECK_FALSE(ConstraintRotor::of(*rigid_shape(3, equal, 1e-10), fixed));
}
