#include "md/integrate/thermostats/group_thermostat.hpp"

#include <algorithm>
#include <cmath>

#include "md/integrate/kinetic.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

GroupThermostat::GroupThermostat(const ThermostatRequest& request)
    : Thermostat(request),
      timestep_(request.input.run.timestep),
      masses_(request.molecules.masses.begin(), request.molecules.masses.end()),
      bodies_(request.molecules.bodies.begin(), request.molecules.bodies.end()),
      degrees_of_(request.molecules.degrees_of) {}

double GroupThermostat::act(ParticleStore& particles, const StepContext& now) {
  return motion_.is_everything() ? apply_to_all(particles, now.step)
                                 : apply_to_some(particles, now.box, now.step);
}

double GroupThermostat::apply_to_all(ParticleStore& particles, std::int64_t step) {
  double energy = kinetic_sums(particles, masses_).energy;
  if (particles.rotating()) energy += rotational_energy(particles, bodies_);
  comm::ReductionBatch batch(context_, "thermostat");
  batch.sum(energy).run();
  const double b = factor(energy, all_degrees_, interval(), step);
  for (Vec3& velocity : particles.velocity) velocity *= b;
  for (Vec3& momentum : particles.angular_momentum) momentum *= b;
  return std::abs(b);
}

double GroupThermostat::apply_to_some(ParticleStore& particles, const Box& box, std::int64_t step) {
  double energy = 0.0, mass = 0.0, degrees = 0.0;
  Vec3 momentum;
  const bool translates = motion_.has_translation(), rotates = motion_.has_rotation();
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    if (!motion_.contains(particles, i, box)) continue;
    const auto type = static_cast<std::size_t>(particles.position[i].type);
    if (translates) {
      const Vec3& velocity = particles.velocity[i];
      energy += 0.5 * masses_[type] * dot(velocity, velocity);
      momentum += masses_[type] * velocity;
      mass += masses_[type];
      degrees += degrees_of_ ? degrees_of_(particles.id[i]) : 3.0;
    }
    if (!rotates || !particles.turns(i)) continue;
    energy += bodies_[type].kinetic_energy(particles.orientation[i], particles.angular_momentum[i]);
    degrees += bodies_[type].degrees_of_freedom();
  }
  comm::ReductionBatch batch(context_, "thermostat");
  batch.sum(energy).sum(mass).sum(degrees).sum(momentum.x).sum(momentum.y).sum(momentum.z).run();
  if (translates) degrees -= 3.0;
  if (!(degrees >= 1.0)) return 1.0;  // the group has at most one molecule, or none that turns
  const Vec3 common = translates ? (1.0 / mass) * momentum : Vec3{};
  energy -= 0.5 * dot(momentum, common);
  const double b = factor(energy, degrees, interval(), step);
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    if (!motion_.contains(particles, i, box)) continue;
    Vec3& velocity = particles.velocity[i];
    if (translates) velocity = common + b * (velocity - common);
    if (rotates && particles.turns(i)) particles.angular_momentum[i] *= b;
  }
  return std::max(1.0, std::abs(b));
}

}  // namespace sterna::md
