#pragma once

// Molecules in a periodic box on one rank, with their forces by MolecularForces; images are made by
// brute force, as in periodic_system.hpp.

#include <cmath>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "md/forces/molecular/molecular_forces.hpp"
#include "neighbors/periodic_system.hpp"

namespace sterna::md::test {

struct MolecularSystem {
  Box box;
  std::vector<Vec3> center;  ///< inside the box
  std::vector<Quaternion> orientation;
  std::vector<std::size_t> component;
  std::size_t size() const { return center.size(); }
};

/// Forces and torques in the order of the system.
struct MolecularResult {
  std::vector<Vec3> force, torque;
  EnergyAndVirial sums;
};

inline Quaternion random_orientation(std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  return Quaternion{normal(engine), normal(engine), normal(engine), normal(engine)}.normalized();
}

/// `skin`: by how much the list radius exceeds the range of the forces. `shell`: which ghosts are
/// listed, where the forces can do with half.
inline MolecularResult compute(const MoleculeModel& model, const MolecularSystem& system,
                               Precision precision, std::string_view kernels,
                               bool with_energy = true, double skin = 0.3,
                               Shell shell = Shell::half) {
  MolecularForces forces(model, precision, kernels);
  PairList list(kernels, forces.group(), forces.reads_half_lists());
  ParticleStore particles;
  particles.set_rotating(true);
  particles.resize_local(system.size());
  for (std::size_t i = 0; i < system.size(); ++i) {
    const Vec3& p = system.center[i];
    particles.position[i] = {p.x, p.y, p.z, static_cast<std::int64_t>(system.component[i])};
    particles.velocity[i] = {};
    particles.angular_momentum[i] = {};
    particles.orientation[i] = system.orientation[i];
    particles.id[i] = static_cast<std::int64_t>(i);
    particles.image[i] = {};
  }
  const bool half = forces.ghost_forces() == GhostForces::half_shell && shell == Shell::half;
  const auto originals =
      rebuild(list, particles, system.box, forces.range() + skin, half ? Shell::half : Shell::full);

  // A ghost turns as the molecule whose image it is.
  const std::size_t local = particles.local_count();
  for (std::size_t i = local; i < particles.total_count(); ++i) {
    particles.orientation[i] = particles.orientation[originals[i - local]];
  }

  MolecularResult result;
  EnergyAndVirial* const sums = with_energy ? &result.sums : nullptr;
  forces.rebuild(list, particles);
  compute_step(forces, list, particles, originals, sums);
  result.force.resize(local);
  result.torque.resize(local);
  for (std::size_t i = 0; i < local; ++i) {
    const auto id = static_cast<std::size_t>(particles.id[i]);
    result.force[id] = particles.force[i];
    result.torque[id] = particles.torque[i];
  }
  return result;
}

}  // namespace sterna::md::test
