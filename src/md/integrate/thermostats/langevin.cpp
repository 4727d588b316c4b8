#include "md/integrate/thermostats/langevin.hpp"

#include <cmath>

#include "md/integrate/thermostats/noise_thermostat.hpp"
#include "md/integrate/thermostats/thermostat_table.hpp"

namespace sterna::md {

Langevin::Langevin(std::uint64_t seed, double thermal_energy, double friction,
                   std::span<const double> masses, std::span<const RigidBody> bodies,
                   const SelectedMotion& motion)
    : stream_(seed, purpose_of_noise(motion)),
      thermal_energy_(thermal_energy),
      friction_(friction),
      masses_(masses.begin(), masses.end()),
      bodies_(bodies.begin(), bodies.end()),
      motion_(motion) {}

double Langevin::apply(ParticleStore& particles, const Box& box, double interval,
                       std::int64_t step) const {
  const double kept = std::exp(-friction_ * interval);
  const double noise = std::sqrt((1.0 - kept * kept) * thermal_energy_);
  double taken_up = 0.0;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    if (!motion_.contains(particles, i, box)) continue;
    const auto type = static_cast<std::size_t>(particles.position[i].type);
    RandomSequence random = stream_.sequence(static_cast<std::uint64_t>(particles.id[i]),
                                             static_cast<std::uint64_t>(step));
    const double mass = masses_[type];
    if (motion_.has_translation()) {
      Vec3& v = particles.velocity[i];
      taken_up -= 0.5 * mass * dot(v, v);
      const double width = noise / std::sqrt(mass);
      for (int axis = 0; axis < 3; ++axis) v[axis] = kept * v[axis] + width * random.normal();
      taken_up += 0.5 * mass * dot(v, v);
    }
    if (!particles.rotating() || !motion_.has_rotation() || !bodies_[type].rotates()) continue;
    const RigidBody& body = bodies_[type];
    const Quaternion& orientation = particles.orientation[i];
    Vec3& momentum = particles.angular_momentum[i];
    taken_up -= body.kinetic_energy(orientation, momentum);
    Vec3 in_body = orientation.to_body(momentum);
    for (int axis = 0; axis < 3; ++axis) {
      in_body[axis] =
          kept * in_body[axis] + noise * std::sqrt(body.inertia()[axis]) * random.normal();
    }
    momentum = orientation.to_lab(in_body);
    taken_up += body.kinetic_energy(orientation, momentum);
  }
  return taken_up;
}

ThermostatRow thermostat::langevin() {
  return {
      .name = "langevin",
      .sentence = "Langevin dynamics have friction and noise on each molecule.",
      .equations = "dv = F/m dt - γ v dt + sqrt(2 γ k T / m) dW",
      .remarks =
          "γ is 1 / `time_constant`. Each molecule feels friction and noise, rotations as well. "
          "The friction and the noise are integrated exactly: v → v exp(-γ t) + "
          "sqrt((1 - exp(-2γ t)) k T / m) times a normal random number. The ensemble is "
          "canonical. Diffusion is slower than without the friction, and momentum is not "
          "conserved.",
      .source =
          "Grest and Kremer, Phys. Rev. A 33, 3628 (1986), for the thermostat; Uhlenbeck "
          "and Ornstein, Phys. Rev. 36, 823 (1930), for the exact integral",
      .aliases = {"sd"},
      .time_constant = "the inverse of the friction",
      .takes_ramps = true,
      .is_canonical = true,
      .constraints = ThermostatRow::Constraints::projected,
      .takes_groups = true,
      .takes_motions = true,
      .keeps_momentum = keeps_momentum_of_noise,
      .make = make_thermostat<NoiseThermostat<Langevin>>};
}

}  // namespace sterna::md
