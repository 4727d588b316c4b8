#include <doctest/doctest.h>

#include <cmath>

#include "free_motion.hpp"
#include "md/integrate/integrators/fire.hpp"
#include "sterna/comm/context.hpp"

using namespace sterna;
using namespace sterna::md;

TEST_CASE("rigid bodies come to rest where force and torque vanish") {
  // A molecule on a spring whose dipole, along its axis z, feels a field along x; its radius of
  // gyration makes a force of the torque.
  const comm::Context world;
  ParticleStore particles;
  particles.set_rotating(true);
  particles.resize_local(1);
  particles.position[0] = {0.7, -0.4, 0.3, 0};
  particles.velocity[0] = particles.angular_momentum[0] = {};
  particles.orientation[0] = Quaternion{0.2, 0.7, 0.5, -0.3}.normalized();
  const double radii[] = {0.4};
  FireMinimizer minimizer(world, 0.005, 0.05, 1e-8, 0.1, radii);
  test::FreeMotion motion(particles);
  int step = 0;
  double potential = 0.0;
  for (; step < 5000; ++step) {
    const Vec3 r = particles.position[0].vector();
    const Vec3 mu = particles.orientation[0].to_lab({0.0, 0.0, 2.0});
    particles.force[0] = -3.0 * r;
    particles.torque[0] = {0.0, mu.z, -mu.y};
    potential = 1.5 * dot(r, r) - mu.x;
    minimizer.advance(particles, motion);
    if (minimizer.has_converged()) break;
    CHECK(std::fabs(particles.orientation[0].norm_squared() - 1.0) < 1e-12);
  }
  CHECK(step < 5000);
  CHECK(potential == doctest::Approx(-2.0).epsilon(1e-12));
}
