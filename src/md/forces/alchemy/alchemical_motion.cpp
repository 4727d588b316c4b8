// Idea:    the derivative of the Hamiltonian by lambda is taken at constant momenta. That of the kinetic
//          energy p^2 / 2m is -v^2 (m_B - m_A) / 2. That of a constraint is the force along it times the
//          change of its length.
// Source:  GROMACS manual, "Free energy implementation" (kinetic energy) and "Constraint forces".
// Hazards: the kinetic energy of another state at the same momenta is exact for free atoms,
//          v^2 m (m - m') / 2m'. Momenta of constrained atoms, and positions, do not fulfill the
//          constraints of another state. There the energy goes on along the derivative, as in GROMACS,
//          so that neighboring states must be close.

#include "md/forces/alchemy/alchemical_motion.hpp"

#include <cstddef>
#include <utility>

#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

double mass_at(const AlchemicalMotion::Mass& mass, double lambda) {
  return (1.0 - lambda) * mass.of_a + lambda * mass.of_b;
}

}  // namespace

AlchemicalMotion::AlchemicalMotion(const comm::Context& context, Options options)
    : context_(context), options_(std::move(options)) {}

void AlchemicalMotion::add(const ParticleStore& particles, double by_lengths,
                           const AlchemicalState& now, std::span<const AlchemicalState> states,
                           AlchemicalEnergies& energies) const {
  const std::vector<Mass>& masses = options_.masses;
  // Sums of v^2 / 2 by type.
  std::vector<double> of_free(masses.size(), 0.0), of_constrained(masses.size(), 0.0);
  for (std::size_t i = 0; i < particles.local_count() && !masses.empty(); ++i) {
    const auto type = static_cast<std::size_t>(particles.position[i].type);
    if (type >= masses.size() || masses[type].of_a == masses[type].of_b) continue;
    const Vec3& v = particles.velocity[i];
    (options_.is_constrained(particles.id[i]) ? of_constrained : of_free)[type] += 0.5 * dot(v, v);
  }
  comm::ReductionBatch(context_, "motion of states", comm::ReductionOrder::fixed)
      .sum(by_lengths)
      .sum(of_free.data(), of_free.size())
      .sum(of_constrained.data(), of_constrained.size())
      .run();
  energies.by_bonded += by_lengths;
  for (std::size_t k = 0; k < states.size(); ++k) {
    energies.differences[k] += (states[k].bonded - now.bonded) * by_lengths;
  }
  for (std::size_t type = 0; type < masses.size(); ++type) {
    const double change = masses[type].of_b - masses[type].of_a;
    const double mass = mass_at(masses[type], now.masses);
    energies.by_masses -= change * (of_free[type] + of_constrained[type]);
    for (std::size_t k = 0; k < states.size(); ++k) {
      const double other = mass_at(masses[type], states[k].masses);
      energies.differences[k] +=
          of_free[type] * mass * (mass - other) / other + of_constrained[type] * (mass - other);
    }
  }
}

}  // namespace sterna::md
