// Limits, drift control, alignment, collisions and mirrors on their own.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "md/core/random.hpp"
#include "md/integrate/alignment.hpp"
#include "md/integrate/drift_control.hpp"
#include "md/integrate/motion_limit.hpp"
#include "md/integrate/reflecting_wall.hpp"
#include "md/integrate/thermostats/andersen.hpp"

using namespace sterna::md;

namespace {

const Box box{{10.0, 12.0, 14.0}};

/// Particles of two types at random places with normal velocities.
ParticleStore gas(std::size_t count, bool rotating = false) {
  ParticleStore store;
  store.set_rotating(rotating);
  store.resize_local(count);
  RandomStream stream(7, RandomPurpose::displacement);
  for (std::size_t i = 0; i < count; ++i) {
    RandomSequence random = stream.sequence(i + 1, 0);
    store.position[i] = {box.length.x * random.uniform(), box.length.y * random.uniform(),
                         box.length.z * random.uniform(), static_cast<std::int64_t>(i % 2)};
    for (int axis = 0; axis < 3; ++axis) {
      store.velocity[i][axis] = random.normal();
      store.force[i][axis] = 100.0 * random.normal();
    }
    store.id[i] = static_cast<std::int64_t>(i) + 1;
    store.image[i] = {};
    if (!rotating) continue;
    store.orientation[i] =
        Quaternion{random.normal(), random.normal(), random.normal(), random.normal()}.normalized();
    for (int axis = 0; axis < 3; ++axis) {
      store.angular_momentum[i][axis] = random.normal();
      store.torque[i][axis] = 100.0 * random.normal();
    }
  }
  return store;
}

bool parallel(const Vec3& a, const Vec3& b) {
  return dot(a, b) == doctest::Approx(length(a) * length(b)).epsilon(1e-12);
}

const std::vector<double> masses{1.0, 3.0};

}  // namespace

TEST_CASE("limits shorten what is too long, and keep directions") {
  ParticleStore store = gas(500, true);
  const ParticleStore reference = gas(500, true);
  const MotionLimit limit(
      {.force = 120.0, .torque = 90.0, .velocity = 1.5, .angular_momentum = 1.2}, {}, false);
  limit.limit_forces(store, box);
  std::size_t shortened = 0;
  for (std::size_t i = 0; i < store.local_count(); ++i) {
    CHECK(length(store.force[i]) <= 120.0 * (1.0 + 1e-13));
    CHECK(length(store.velocity[i]) <= 1.5 * (1.0 + 1e-13));
    CHECK(length(store.torque[i]) <= 90.0 * (1.0 + 1e-13));
    CHECK(length(store.angular_momentum[i]) <= 1.2 * (1.0 + 1e-13));
    CHECK(parallel(store.force[i], reference.force[i]));
    CHECK(parallel(store.velocity[i], reference.velocity[i]));
    if (length(reference.force[i]) <= 120.0) {
      CHECK(store.force[i] == reference.force[i]);
    } else {
      ++shortened;
    }
  }
  CHECK(shortened > 50);
  // A second look changes no bit.
  ParticleStore again = gas(500, true);
  limit.limit_forces(again, box);
  limit.limit_forces(again, box);
  limit.limit_velocities(again, box);
  for (std::size_t i = 0; i < store.local_count(); ++i) {
    CHECK(again.force[i] == store.force[i]);
    CHECK(again.velocity[i] == store.velocity[i]);
  }
}

TEST_CASE("limits go by type, region and overlap") {
  const ParticleStore reference = gas(500);
  Selection lower_half;
  lower_half.upper.y = 6.0;
  lower_half.type = 1;
  for (const bool outside : {false, true}) {
    ParticleStore store = gas(500);
    const MotionLimit limit({.force = 50.0, .velocity = 0.5}, lower_half, outside);
    limit.limit_forces(store, box);
    for (std::size_t i = 0; i < store.local_count(); ++i) {
      const bool acts = store.position[i].type == 1 && (store.position[i].y < 6.0) != outside;
      if (!acts) {
        CHECK(store.force[i] == reference.force[i]);
        CHECK(store.velocity[i] == reference.velocity[i]);
      } else {
        CHECK(length(store.force[i]) <= 50.0 * (1.0 + 1e-13));
        CHECK(length(store.velocity[i]) <= 0.5 * (1.0 + 1e-13));
      }
    }
  }
  ParticleStore store = gas(500);
  const MotionLimit overlaps({.force = 150.0, .velocity = 0.5, .overlaps_only = true}, {}, false);
  overlaps.limit_forces(store, box);
  overlaps.limit_velocities(store, box);
  for (std::size_t i = 0; i < store.local_count(); ++i) {
    const bool acts = length(reference.force[i]) > 150.0;
    CHECK((store.velocity[i] == reference.velocity[i]) ==
          (!acts || length(reference.velocity[i]) <= 0.5));
  }
}

TEST_CASE("drift control gives each slab the common velocity") {
  ParticleStore store = gas(4000);
  DriftControl control({.slabs = 3, .velocity = {0.5, -0.25, 2.0}}, masses);
  const auto energy = [&] {
    double sum = 0.0;
    for (std::size_t i = 0; i < store.local_count(); ++i) {
      sum += 0.5 * masses[static_cast<std::size_t>(store.position[i].type)] *
             dot(store.velocity[i], store.velocity[i]);
    }
    return sum;
  };
  const double before = energy();
  control.add(control.measure(store, box));
  const double taken_up = control.correct(store, box);
  CHECK(energy() - before == doctest::Approx(taken_up).epsilon(1e-10));
  const std::span<double> sums = control.measure(store, box);
  for (std::size_t slab = 0; slab < 3; ++slab) {
    const double mass = sums[4 * slab];
    CHECK(mass > 1000.0);
    CHECK(sums[4 * slab + 1] / mass == doctest::Approx(0.5).epsilon(1e-10));
    CHECK(sums[4 * slab + 2] / mass == doctest::Approx(-0.25).epsilon(1e-10));
    CHECK(sums[4 * slab + 3] / mass == doctest::Approx(2.0).epsilon(1e-10));
  }
  // Without a sample there is nothing to correct by.
  const Vec3 kept = store.velocity[0];
  control.correct(store, box);
  CHECK(store.velocity[0] == kept);
}

TEST_CASE("alignment brings the center of mass to the middle") {
  ParticleStore store = gas(300);
  for (std::size_t i = 0; i < store.local_count(); ++i) {
    // A droplet off the middle, far from the faces.
    store.position[i].x = 4.0 + 0.2 * store.position[i].x;
    store.position[i].y = 2.0 + 0.2 * store.position[i].y;
    store.position[i].z = 5.0 + 0.2 * store.position[i].z;
  }
  const Alignment alignment(masses, {true, true, false}, 0.5, 100.0);
  const Vec3 shift = alignment.shift(alignment.measure(store, box), box);
  CHECK(shift.z == 0.0);
  for (std::size_t i = 0; i < store.local_count(); ++i) {
    store.position[i].x += shift.x;
    store.position[i].y += shift.y;
  }
  // Half of the way is left.
  const Vec3 rest = alignment.shift(alignment.measure(store, box), box);
  CHECK(rest.x == doctest::Approx(0.5 * shift.x).epsilon(1e-9));
  CHECK(rest.y == doctest::Approx(0.5 * shift.y).epsilon(1e-9));
  const Alignment bounded(masses, {true, true, true}, 1.0, 0.1);
  CHECK(length(bounded.shift(bounded.measure(store, box), box)) == doctest::Approx(0.1));
}

TEST_CASE("Andersen's collisions come at their rate and give Maxwell's distribution") {
  constexpr std::size_t count = 20000;
  ParticleStore store = gas(count, true);
  const std::vector<RigidBody> bodies{RigidBody({1.0, 2.0, 0.0}), RigidBody({2.0, 2.0, 0.5})};
  const double kT = 2.5, rate = 4.0, interval = 0.05;
  const Andersen thermostat(3, kT, rate, masses, bodies);
  std::vector<Vec3> before(store.velocity.data(), store.velocity.data() + count);
  const double taken_up = thermostat.apply(store, box, interval, 1);
  CHECK(taken_up > 0.0);
  double collided = 0.0, squares = 0.0, rotation = 0.0, degrees = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    if (store.velocity[i] == before[i]) continue;
    const auto type = static_cast<std::size_t>(store.position[i].type);
    collided += 1.0;
    squares += masses[type] * dot(store.velocity[i], store.velocity[i]);
    rotation += 2.0 * bodies[type].kinetic_energy(store.orientation[i], store.angular_momentum[i]);
    degrees += bodies[type].degrees_of_freedom();
  }
  const double expected = 1.0 - std::exp(-rate * interval);
  CHECK(collided / count == doctest::Approx(expected).epsilon(0.05));
  CHECK(squares / (3.0 * collided) == doctest::Approx(kT).epsilon(0.04));
  CHECK(rotation / degrees == doctest::Approx(kT).epsilon(0.05));
}

TEST_CASE("a mirror turns velocities round and keeps energies") {
  const double dt = 0.05;
  Box leaning{{10.0, 12.0, 14.0}, {1.5, -0.7, 0.9}};
  struct Case {
    WallSurface surface;
    WallSurface::Side side;
    Box box;
  };
  using Side = WallSurface::Side;
  const Case cases[] = {
      {WallSurface::plane(1, 0.0, Side::above), Side::above, box},
      {WallSurface::plane(0, 7.0, Side::above), Side::below, box},
      {WallSurface::plane(2, 3.0, Side::above), Side::both, leaning},
      {WallSurface::sphere({5.0, 6.0, 7.0}, 4.0, Side::above), Side::below, box},
  };
  for (const Case& one : cases) {
    ParticleStore store = gas(400);
    const ReflectingWall wall(one.surface, one.side, {});
    const auto distance = [&](std::size_t i) {
      return one.surface.foot(one.surface.nearest(store.position[i].vector(), one.box)).distance;
    };
    std::vector<double> at_start;
    std::vector<double> speeds;
    for (std::size_t i = 0; i < store.local_count(); ++i) {
      // All at one side of a plane, counted over half of the box; in a sphere some inside.
      at_start.push_back(distance(i));
      speeds.push_back(length(store.velocity[i]));
    }
    double reflections = 0.0;
    for (int step = 0; step < 40; ++step) {
      for (std::size_t i = 0; i < store.local_count(); ++i) {
        Position& p = store.position[i];
        const Vec3& v = store.velocity[i];
        p.x += dt * v.x;
        p.y += dt * v.y;
        p.z += dt * v.z;
      }
      std::vector<Vec3> before(store.velocity.data(), store.velocity.data() + store.local_count());
      wall.reflect(store, one.box, dt);
      for (std::size_t i = 0; i < store.local_count(); ++i) {
        if (store.velocity[i] == before[i]) continue;
        reflections += 1.0;
        // The velocity now leads away from the wall.
        const bool outside = distance(i) > 0.0;
        CHECK((dot(store.velocity[i],
                   one.surface.foot(one.surface.nearest(store.position[i].vector(), one.box))
                       .normal) > 0.0) == outside);
      }
    }
    CHECK(reflections > 10.0);
    for (std::size_t i = 0; i < store.local_count(); ++i) {
      CHECK(length(store.velocity[i]) == doctest::Approx(speeds[i]).epsilon(1e-12));
      // Nobody near the wall has come through it; others come round the box from behind.
      const bool near = std::fabs(at_start[i]) < 1.0 && std::fabs(distance(i)) < 3.0;
      if (!near) continue;
      if (one.side != Side::below && at_start[i] > 1e-9) CHECK(distance(i) > -1e-9);
      if (one.side != Side::above && at_start[i] < -1e-9) CHECK(distance(i) < 1e-9);
    }
  }
}
