#include <doctest/doctest.h>

#include <cmath>

#include "md/integrate/fire_minimizer.hpp"

using namespace sterna::md;

TEST_CASE("rigid bodies come to rest where force and torque vanish") {
  // A molecule on a spring whose dipole, along its axis z, feels a field along x; its radius of
  // gyration makes a force of the torque.
  ParticleStore particles;
  particles.set_rotating(true);
  particles.resize_local(1);
  particles.position[0] = {0.7, -0.4, 0.3, 0};
  particles.velocity[0] = particles.angular_momentum[0] = {};
  particles.orientation[0] = Quaternion{0.2, 0.7, 0.5, -0.3}.normalized();
  const double radii[] = {0.4};
  FireMinimizer minimizer(0.005, 0.05, 0.1, radii);
  int step = 0;
  double potential = 0.0, largest = 1.0;
  for (; step < 5000; ++step) {
    const Vec3 r = particles.position[0].vector();
    const Vec3 mu = particles.orientation[0].to_lab({0.0, 0.0, 2.0});
    particles.force[0] = -3.0 * r;
    particles.torque[0] = {0.0, mu.z, -mu.y};
    potential = 1.5 * dot(r, r) - mu.x;
    const FireMinimizer::Sums sums = minimizer.local_sums(particles);
    largest = sums.largest_force;
    if (largest < 1e-8) break;
    minimizer.step(particles, sums);
    CHECK(std::fabs(particles.orientation[0].norm_squared() - 1.0) < 1e-12);
  }
  CHECK(step < 5000);
  CHECK(potential == doctest::Approx(-2.0).epsilon(1e-12));
}
