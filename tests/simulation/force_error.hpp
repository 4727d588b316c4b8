#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "md/system/particle_store.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md::test {

/// The root mean square error of the forces of all particles, relative to the root mean square of
/// the reference, in which the force on the particle with the id i has the place i - 1. Collective.
inline double error_of_forces(const comm::Context& world, const ParticleStore& particles,
                              const std::vector<Vec3>& reference) {
  std::array<double, 2> sums{};
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const Vec3& expected = reference[static_cast<std::size_t>(particles.id[i]) - 1];
    const Vec3 difference = particles.force[i] - expected;
    sums[0] += dot(difference, difference);
    sums[1] += dot(expected, expected);
  }
  comm::ReductionBatch batch(world, "test");
  batch.sum(sums.data(), 2).run();
  return std::sqrt(sums[0] / sums[1]);
}

}  // namespace sterna::md::test
