// On any number of ranks: each has particles of its own in the whole box, and all share a profile.

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "md/forces/longrange/planar_forces.hpp"
#include "md/forces/pair/pair_forces.hpp"
#include "neighbors/periodic_system.hpp"
#include "sterna/comm/context.hpp"

using namespace sterna::md;

namespace {

const Box box{{9.0, 8.5, 24.0}};

/// A slab of liquid between z = 7 and z = 16, another one for each seed.
ParticleStore slab(unsigned seed) {
  const Box liquid{{box.length.x, box.length.y, 9.0}};
  ParticleStore particles = test::jittered_lattice(liquid, 512, 1, 0.08, seed);
  for (std::size_t i = 0; i < particles.local_count(); ++i) particles.position[i].z += 7.0;
  return particles;
}

LennardJones potential(double cutoff) {
  return LennardJones(std::vector<LennardJones::PairParameters>{{1.0, 1.0}}, 1, cutoff,
                      Truncation::truncated);
}

std::unique_ptr<ShortRangeForces> lennard_jones(double cutoff) {
  return std::make_unique<PairForces>(potential(cutoff), Precision::double_precision, "auto");
}

}  // namespace

TEST_CASE("every particle gets what the profile of all ranks gives at its place") {
  const sterna::comm::Context context;
  const double cutoff = 2.5;
  const std::size_t slabs = 100;
  std::vector<double> profile(slabs, 0.0);
  for (int rank = 0; rank < context.size(); ++rank) {
    const ParticleStore particles = slab(static_cast<unsigned>(rank));
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      profile[static_cast<std::size_t>(particles.position[i].z * slabs / box.length.z)] +=
          slabs / box.volume();
    }
  }
  PlanarCorrection correction(averaged_potentials(potential(cutoff)), box.length.z, slabs);
  correction.set_profile(profile);

  ParticleStore particles = slab(static_cast<unsigned>(context.rank()));
  PairList list("auto", 1, true);
  test::rebuild(list, particles, box, cutoff + 0.2);
  const auto plain = lennard_jones(cutoff);
  const EnergyAndVirial without = test::compute(*plain, list, particles);
  const std::vector<Vec3> force(particles.force.begin(), particles.force.end());
  PlanarForces forces(context, averaged_potentials(potential(cutoff)), box, 2, slabs);
  forces.rebuild(particles);
  EnergyAndVirial with = without;
  forces.finish(particles, &with);
  PlanarCorrection::Values total;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const auto values = correction.at(0, particles.position[i].z);
    CHECK(particles.force[i].x == force[i].x);
    CHECK(particles.force[i].z - force[i].z == doctest::Approx(values.force).epsilon(1e-9));
    total.energy += 0.5 * values.energy;
    total.virial_normal += 0.5 * values.virial_normal;
    total.virial_tangential += 0.5 * values.virial_tangential;
  }
  CHECK(with.energy - without.energy == doctest::Approx(total.energy).epsilon(1e-9));
  CHECK(with.virial[2] - without.virial[2] == doctest::Approx(total.virial_normal).epsilon(1e-9));
  CHECK(with.virial[0] - without.virial[0] ==
        doctest::Approx(total.virial_tangential).epsilon(1e-9));
  CHECK(with.virial[3] == without.virial[3]);
}

TEST_CASE("a short cutoff with the correction is a long one") {
  const sterna::comm::Context context;
  struct Result {
    EnergyAndVirial sums;
    std::vector<Vec3> force;
  };
  const auto compute = [&](double cutoff, bool corrected) {
    // The same slab on all ranks: the profile would be theirs together, so each is its own world.
    const auto alone = context.split(context.rank());
    ParticleStore particles = slab(3);
    PairList list("auto", 1, true);
    test::rebuild(list, particles, box, cutoff + 0.2);
    Result result;
    result.sums = test::compute(*lennard_jones(cutoff), list, particles);
    if (corrected) {
      PlanarForces forces(alone, averaged_potentials(potential(cutoff)), box, 2, 96);
      forces.rebuild(particles);
      forces.finish(particles, &result.sums);
    }
    result.force.resize(particles.local_count());
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      result.force[static_cast<std::size_t>(particles.id[i] - 1)] = particles.force[i];
    }
    return result;
  };
  const Result cut = compute(3.0, false), corrected = compute(3.0, true), far = compute(6.0, true);
  // How much of what is missing is left.
  const double missing = far.sums.energy - cut.sums.energy;
  CHECK(std::fabs(far.sums.energy - corrected.sums.energy) < 0.05 * std::fabs(missing));
  for (const int axis : {0, 2}) {
    const double lacking = far.sums.virial[axis] - cut.sums.virial[axis];
    CHECK(std::fabs(far.sums.virial[axis] - corrected.sums.virial[axis]) <
          0.1 * std::fabs(lacking));
  }
  // The pull into the liquid of the particles at its faces.
  double pull_missing = 0.0, pull_left = 0.0;
  const ParticleStore particles = slab(3);
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const double side = particles.position[i].z < 11.5 ? 1.0 : -1.0;
    if (std::fabs(particles.position[i].z - 11.5) < 3.5) continue;
    const auto k = static_cast<std::size_t>(particles.id[i] - 1);
    pull_missing += side * (far.force[k].z - cut.force[k].z);
    pull_left += side * (far.force[k].z - corrected.force[k].z);
  }
  CHECK(pull_missing > 0.0);
  CHECK(std::fabs(pull_left) < 0.1 * pull_missing);
}
