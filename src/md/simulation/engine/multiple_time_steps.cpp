// Multiple time steps: slow forces in some steps only.
//
// Idea:    a force that is computed in every n-th step acts there n times as strongly. Between two
//          such steps particles move by the other forces alone. The run stays reversible and
//          symplectic, so that its energy does not drift. The stored force of a particle is the
//          physical one; the rest that velocities need are impulses, (n - 1) times the slow force.
// Source:  Grubmueller, Heller, Windemuth, Schulten, Mol. Simul. 6, 121 (1991), "Verlet-I";
//          Tuckerman, Berne, Martyna, J. Chem. Phys. 97, 1990 (1992), "r-RESPA". MODYLAS divides
//          the forces alike: Andoh et al., J. Chem. Theory Comput. 9, 3201 (2013).
// Cost:    one pass over the particles in steps with impulses. Lists are rebuilt in steps that
//          compute all forces, and therefore a little earlier. If new cells of the multipole method
//          change which charges are near, forces are computed twice in such a step.
// Hazards: impulses in resonance with half the period of a vibration heat it: with vibrating bonds
//          of hydrogen at 5 fs, and less strongly at 3.3 fs (Ma, Izaguirre, Skeel, SIAM J. Sci.
//          Comput. 24, 1951 (2003)). Between two steps that compute all forces, velocities lack a
//          part of the impulse, so energies are valid only in steps that compute all forces.
// Others:  steps of one length, if the slow forces take little of the time.

#include "md/simulation/engine/multiple_time_steps.hpp"

#include <stdexcept>

namespace sterna::md {

MultipleTimeSteps::MultipleTimeSteps(std::int64_t medium, std::int64_t slow)
    : medium_(medium), slow_(slow) {
  if (medium < 1 || slow < medium || slow % medium != 0) {
    throw std::invalid_argument(
        "of multiple time steps, each interval must be a multiple of the next shorter one");
  }
}

void MultipleTimeSteps::add_impulses_of_medium_terms(const ParticleStore& particles,
                                                     std::int64_t step) {
  if (medium_ == 1 || !is_due(TimeScale::medium, step)) return;
  add(static_cast<double>(medium_ - 1), {particles.force.data(), particles.local_count()},
      particles.torque.span());
}

void MultipleTimeSteps::add_impulses_of_slow_part(const ForceTerm::SlowForces& slow) {
  // The slow part got the weight of the medium forces already, so it lacks the difference only.
  if (!slow.forces.empty()) add(static_cast<double>(slow_ - medium_), slow.forces, slow.torques);
}

void MultipleTimeSteps::add(double weight, std::span<const Vec3> forces,
                            std::span<const Vec3> torques) {
  if (!has_forces_) {
    forces_.assign(forces.size(), {});
    torques_.assign(torques.size(), {});
    has_forces_ = true;
  }
  for (std::size_t i = 0; i < forces.size(); ++i) forces_[i] += weight * forces[i];
  for (std::size_t i = 0; i < torques.size(); ++i) torques_[i] += weight * torques[i];
}

Impulses MultipleTimeSteps::impulses() const {
  if (!has_forces_) return {};
  return {forces_, torques_};
}

std::span<Vec3> MultipleTimeSteps::impulse_forces() {
  return has_forces_ ? std::span<Vec3>(forces_) : std::span<Vec3>();
}

}  // namespace sterna::md
