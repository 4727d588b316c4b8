// Thermostats on their own, against what statistical mechanics says.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "md/integrate/thermostats/langevin.hpp"
#include "md/integrate/thermostats/nose_hoover_chain.hpp"
#include "md/integrate/thermostats/velocity_scaling.hpp"

using namespace sterna::md;

namespace {

const Box box{{10.0, 12.0, 14.0}};

/// Particles of alternating types, at rest.
ParticleStore particles_at_rest(std::size_t count, int types, bool rotating = false) {
  ParticleStore store;
  store.set_rotating(rotating);
  store.resize_local(count);
  RandomStream stream(7, RandomPurpose::displacement);
  for (std::size_t i = 0; i < count; ++i) {
    RandomSequence random = stream.sequence(i + 1, 0);
    store.position[i] = {box.length.x * random.uniform(), box.length.y * random.uniform(),
                         box.length.z * random.uniform(),
                         static_cast<std::int64_t>(i % static_cast<std::size_t>(types))};
    store.velocity[i] = {};
    store.id[i] = static_cast<std::int64_t>(i) + 1;
    store.image[i] = {};
    if (!rotating) continue;
    store.orientation[i] =
        Quaternion{random.normal(), random.normal(), random.normal(), random.normal()}.normalized();
    store.angular_momentum[i] = {};
  }
  return store;
}

void give_velocities(ParticleStore& store) {
  RandomStream stream(11, RandomPurpose::velocity);
  for (std::size_t i = 0; i < store.local_count(); ++i) {
    RandomSequence random = stream.sequence(i + 1, 0);
    for (int axis = 0; axis < 3; ++axis) store.velocity[i][axis] = random.normal();
  }
}

template <class Selected>
double mean_square(const ParticleStore& store, const Selected& selected) {
  double sum = 0.0, count = 0.0;
  for (std::size_t i = 0; i < store.local_count(); ++i) {
    if (!selected(store.position[i])) continue;
    sum += dot(store.velocity[i], store.velocity[i]);
    count += 1.0;
  }
  return sum / count;
}

}  // namespace

TEST_CASE("Langevin: temperature and diffusion of free particles") {
  const double thermal_energy = 1.3, friction = 0.8, timestep = 0.05;
  const std::vector<double> masses{1.0, 4.0};
  const Langevin langevin(3, thermal_energy, friction, masses, {});
  ParticleStore store = particles_at_rest(8000, 2);
  double taken_up = 0.0;
  std::int64_t step = 0;
  // From rest the mean energy relaxes as 1 - exp(-2 friction t).
  for (; step < 10; ++step) taken_up += langevin.apply(store, box, timestep, step);
  double energy = 0.0;
  for (std::size_t i = 0; i < store.local_count(); ++i) {
    energy += 0.5 * masses[i % 2] * dot(store.velocity[i], store.velocity[i]);
  }
  CHECK(taken_up == doctest::Approx(energy));
  CHECK(energy / 8000.0 ==
        doctest::Approx(1.5 * thermal_energy * (1.0 - std::exp(-2.0 * friction * 0.5)))
            .epsilon(0.03));
  for (; step < 200; ++step) langevin.apply(store, box, timestep, step);

  // Mean square displacement of x += dt v, with v an Ornstein-Uhlenbeck process seen at each step.
  const int steps = 100;
  std::vector<Vec3> moved(store.local_count());
  for (int n = 0; n < steps; ++n, ++step) {
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += timestep * store.velocity[i];
    langevin.apply(store, box, timestep, step);
  }
  const double c = std::exp(-friction * timestep);
  const double expected = 3.0 * timestep * timestep *
                          (steps * (1.0 + c) / (1.0 - c) -
                           2.0 * c * (1.0 - std::pow(c, steps)) / ((1.0 - c) * (1.0 - c)));
  // Close to the continuous result, 6 D (t - (1 - exp(-friction t)) / friction), D = kT/(m
  // friction).
  const double t = steps * timestep;
  CHECK(expected ==
        doctest::Approx(6.0 / friction * (t - (1.0 - std::exp(-friction * t)) / friction))
            .epsilon(1e-3));
  for (std::size_t type = 0; type < 2; ++type) {
    double displacement = 0.0, speed = 0.0;
    for (std::size_t i = type; i < moved.size(); i += 2) {
      displacement += dot(moved[i], moved[i]);
      speed += dot(store.velocity[i], store.velocity[i]);
    }
    const double scale = thermal_energy / masses[type];
    // 12,000 independent components: one standard error is 1.3 %.
    CHECK(displacement / 4000.0 == doctest::Approx(scale * expected).epsilon(0.045));
    CHECK(speed / 4000.0 == doctest::Approx(3.0 * scale).epsilon(0.045));
  }
}

TEST_CASE("Langevin: rotations have their temperature, and noise belongs to the molecule") {
  const double thermal_energy = 0.7;
  const std::vector<double> masses{1.0, 1.0, 1.0};
  const std::vector<RigidBody> bodies{RigidBody({0.5, 1.0, 2.0}), RigidBody({1.5, 1.5, 0.0}),
                                      RigidBody({0.0, 0.0, 0.0})};
  const Langevin langevin(5, thermal_energy, 1.0, masses, bodies);
  ParticleStore store = particles_at_rest(9000, 3, true);
  langevin.apply(store, box, 50.0, 4);
  double energy[3] = {0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < store.local_count(); ++i) {
    energy[i % 3] += bodies[i % 3].kinetic_energy(store.orientation[i], store.angular_momentum[i]);
  }
  CHECK(energy[0] / 3000.0 == doctest::Approx(1.5 * thermal_energy).epsilon(0.05));
  CHECK(energy[1] / 3000.0 == doctest::Approx(thermal_energy).epsilon(0.06));
  CHECK(energy[2] == 0.0);

  // The same molecules in another order.
  ParticleStore turned = particles_at_rest(9000, 3, true);
  for (std::size_t i = 0; i < 9000; ++i) turned.id[i] = 9000 - static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < 9000; ++i) {
    turned.position[i].type = static_cast<std::int64_t>((8999 - i) % 3);
  }
  langevin.apply(turned, box, 50.0, 4);
  CHECK(turned.velocity[0] == store.velocity[8999]);
  CHECK(turned.velocity[4000] == store.velocity[4999]);
}

TEST_CASE("Nose-Hoover chain: canonical kinetic energy and a conserved quantity") {
  // Oscillators of different frequencies.
  constexpr std::size_t count = 24;
  const double thermal_energy = 1.7;
  const auto run = [&](double timestep, int steps, double& mean, double& variance) {
    NoseHooverChain chain(thermal_energy, 2.0, count);
    std::vector<double> x(count, 0.0), v(count), stiffness(count);
    RandomStream stream(2, RandomPurpose::velocity);
    for (std::size_t k = 0; k < count; ++k) {
      stiffness[k] = 1.0 + 0.37 * static_cast<double>(k);
      v[k] = 1.2 * stream.sequence(k + 1, 0).normal();
    }
    double sum = 0.0, sum_squares = 0.0, start = 0.0, worst = 0.0;
    for (int step = 0; step < steps; ++step) {
      double kinetic = 0.0, potential = 0.0;
      for (std::size_t k = 0; k < count; ++k) {
        v[k] -= 0.5 * timestep * stiffness[k] * x[k];
        x[k] += timestep * v[k];
        v[k] -= 0.5 * timestep * stiffness[k] * x[k];
        kinetic += 0.5 * v[k] * v[k];
        potential += 0.5 * stiffness[k] * x[k] * x[k];
      }
      const double factor = chain.factor(kinetic, timestep);
      for (double& velocity : v) velocity *= factor;
      kinetic *= factor * factor;
      const double conserved = kinetic + potential + chain.energy();
      if (step == 0) start = conserved;
      worst = std::max(worst, std::fabs(conserved - start));
      sum += kinetic;
      sum_squares += kinetic * kinetic;
    }
    mean = sum / steps;
    variance = sum_squares / steps - mean * mean;
    return worst;
  };
  double mean = 0.0, variance = 0.0;
  run(0.05, 400000, mean, variance);
  // Half a degree of freedom holds kT/2; the variance is that of a gamma distribution.
  CHECK(mean == doctest::Approx(0.5 * count * thermal_energy).epsilon(0.01));
  CHECK(variance == doctest::Approx(0.5 * count * thermal_energy * thermal_energy).epsilon(0.1));
  // The energy of all is conserved to the second order of the timestep.
  const double coarse = run(0.02, 2000, mean, variance);
  const double fine = run(0.01, 4000, mean, variance);
  CHECK(coarse < 0.01 * mean);
  CHECK(coarse / fine == doctest::Approx(4.0).epsilon(0.15));
}

TEST_CASE("Nose-Hoover chain: a restored chain goes on with the same bits") {
  NoseHooverChain chain(1.0, 1.0, 30.0), other(1.0, 1.0, 30.0);
  for (int step = 0; step < 10; ++step) chain.factor(20.0 - step, 0.01);
  other.set_state(chain.state());
  CHECK(other.energy() == chain.energy());
  CHECK(other.factor(14.0, 0.01) == chain.factor(14.0, 0.01));
}

TEST_CASE("velocity scaling: a power of the temperatures' ratio") {
  const std::vector<double> masses{2.0};
  for (const double exponent : {0.5, 0.4}) {
    VelocityScaling::Zone zone;
    zone.thermal_energy = 3.0;
    zone.exponent = exponent;
    ParticleStore store = particles_at_rest(200, 1);
    give_velocities(store);
    const auto all = [](const Position&) { return true; };
    const double before = 2.0 * mean_square(store, all) / 3.0;
    VelocityScaling scaling({zone}, masses, {});
    scaling.measure(store, box);
    const auto [taken_up, largest] = scaling.scale(store, box);
    CHECK(largest == doctest::Approx(std::pow(3.0 / before, exponent)));
    const double after = 2.0 * mean_square(store, all) / 3.0;
    CHECK(after == doctest::Approx(before * std::pow(3.0 / before, 2.0 * exponent)));
    CHECK(taken_up == doctest::Approx(1.5 * 200.0 * (after - before)));
    if (exponent == 0.5) CHECK(after == doctest::Approx(3.0));
  }
}

TEST_CASE("velocity scaling: rotations have a factor of their own") {
  const std::vector<double> masses{1.0};
  const std::vector<RigidBody> bodies{RigidBody({1.0, 1.0, 0.0})};
  ParticleStore store = particles_at_rest(100, 1, true);
  give_velocities(store);
  double twice = 0.0;
  for (std::size_t i = 0; i < 100; ++i) {
    store.angular_momentum[i] =
        store.orientation[i].to_lab({0.3, 0.1 * static_cast<double>(i), 0.0});
    twice += 2.0 * bodies[0].kinetic_energy(store.orientation[i], store.angular_momentum[i]);
  }
  VelocityScaling::Zone zone;
  zone.thermal_energy = 0.9;
  VelocityScaling scaling({zone}, masses, bodies);
  scaling.measure(store, box);
  scaling.scale(store, box);
  double after = 0.0;
  for (std::size_t i = 0; i < 100; ++i) {
    after += 2.0 * bodies[0].kinetic_energy(store.orientation[i], store.angular_momentum[i]);
  }
  CHECK(twice != doctest::Approx(0.9 * 200.0));
  CHECK(after == doctest::Approx(0.9 * 200.0));
  CHECK(mean_square(store, [](const Position&) { return true; }) == doctest::Approx(2.7));
}

TEST_CASE("velocity scaling: by type, region, slab and direction") {
  const std::vector<double> masses{1.0, 1.0};
  ParticleStore store = particles_at_rest(3000, 2);
  give_velocities(store);
  const ParticleStore before = [&] {
    ParticleStore copy = particles_at_rest(3000, 2);
    give_velocities(copy);
    return copy;
  }();
  VelocityScaling::Zone zone;
  zone.where.type = 1;
  zone.where.lower = {-1e300, 3.0, -1e300};
  zone.where.upper = {5.0, 9.0, 1e300};
  zone.slabs = 3;
  zone.directions = {true, false, true};
  zone.thermal_energy = 4.0;
  VelocityScaling scaling({zone}, masses, {});
  scaling.measure(store, box);
  scaling.scale(store, box);
  double sum[3] = {0.0, 0.0, 0.0}, number[3] = {0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < 3000; ++i) {
    const Position& place = store.position[i];
    const bool inside = place.type == 1 && place.x < 5.0 && place.y > 3.0 && place.y < 9.0;
    if (!inside) {
      CHECK(store.velocity[i] == before.velocity[i]);
      continue;
    }
    CHECK(store.velocity[i].y == before.velocity[i].y);
    const auto slab = static_cast<std::size_t>((place.y - 3.0) / 2.0);
    const Vec3& v = store.velocity[i];
    sum[slab] += v.x * v.x + v.z * v.z;
    number[slab] += 1.0;
  }
  for (std::size_t slab = 0; slab < 3; ++slab) {
    CHECK(number[slab] > 50.0);
    CHECK(sum[slab] / number[slab] == doctest::Approx(8.0));
  }
}

TEST_CASE("velocity scaling: ls1's linearized factor") {
  VelocityScaling::Zone zone;
  zone.thermal_energy = 1.2;
  zone.exponent = 0.4;
  zone.rule = VelocityScaling::Rule::linearized;
  const std::vector<double> masses{1.0};
  ParticleStore store = particles_at_rest(500, 1);
  give_velocities(store);
  const Vec3 first = store.velocity[0];
  const double temperature = mean_square(store, [](const Position&) { return true; }) / 3.0;
  VelocityScaling scaling({zone}, masses, {});
  scaling.measure(store, box);
  scaling.scale(store, box);
  const double factor = 2.0 - std::pow(temperature / 1.2, 0.4);
  CHECK(store.velocity[0].x == doctest::Approx(factor * first.x));
}
