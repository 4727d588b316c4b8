// A Nose-Hoover chain alone, with particles that only keep their velocities: whatever its size, its
// step and how far the particles are from its temperature, the energy of both is conserved.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "md/integrate/thermostats/nose_hoover_chain.hpp"

using sterna::md::NoseHooverChain;

TEST_CASE("the energy of a chain and its particles is conserved, far from its temperature, too") {
  constexpr double thermal_energy = 1.0, time_constant = 0.5;
  for (const double degrees : {1.0, 30.0, 1296.0, 3e4, 3e6}) {
    for (const double start : {1e-6, 0.03, 0.5, 1.0, 3.0, 10.0}) {
      for (const double interval : {0.0005, 0.005, 0.01, 0.02}) {
        CAPTURE(degrees);
        CAPTURE(start);
        CAPTURE(interval);
        NoseHooverChain chain(thermal_energy, time_constant, degrees);
        double kinetic = 0.5 * degrees * thermal_energy * start;
        const double before = kinetic + chain.energy();
        double farthest = 0.0;
        for (int step = 0; step < 40; ++step) {
          const double factor = chain.factor(kinetic, interval);
          kinetic *= factor * factor;
          farthest = std::max(farthest, std::abs(kinetic + chain.energy() - before));
        }
        const double scale = 0.5 * degrees * thermal_energy * std::max(1.0, start);
        CHECK(std::isfinite(kinetic));
        CHECK(farthest < 0.01 * scale);
      }
    }
  }
}
