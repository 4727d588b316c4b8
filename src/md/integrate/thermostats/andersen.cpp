#include "md/integrate/thermostats/andersen.hpp"

#include <cmath>
#include <utility>

#include "md/integrate/thermostats/noise_thermostat.hpp"
#include "md/integrate/thermostats/thermostat_table.hpp"

namespace sterna::md {

Andersen::Andersen(std::uint64_t seed, double thermal_energy, double rate,
                   std::span<const double> masses, std::span<const RigidBody> bodies,
                   const SelectedMotion& motion,
                   std::function<std::int64_t(std::int64_t)> first_joined_to)
    : stream_(seed, purpose_of_noise(motion)),
      thermal_energy_(thermal_energy),
      rate_(rate),
      masses_(masses.begin(), masses.end()),
      bodies_(bodies.begin(), bodies.end()),
      motion_(motion),
      first_joined_to_(std::move(first_joined_to)) {}

double Andersen::apply(ParticleStore& particles, const Box& box, double interval,
                       std::int64_t step) const {
  const double probability = -std::expm1(-rate_ * interval);
  double taken_up = 0.0;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const auto sequence_of = [&](std::int64_t id) {
      return stream_.sequence(static_cast<std::uint64_t>(id), static_cast<std::uint64_t>(step));
    };
    RandomSequence random = sequence_of(particles.id[i]);
    double chance = random.uniform();
    if (first_joined_to_) chance = sequence_of(first_joined_to_(particles.id[i])).uniform();
    if (chance >= probability) continue;
    if (!motion_.contains(particles, i, box)) continue;
    const auto type = static_cast<std::size_t>(particles.position[i].type);
    const double mass = masses_[type];
    if (motion_.has_translation()) {
      Vec3& v = particles.velocity[i];
      taken_up -= 0.5 * mass * dot(v, v);
      const double width = std::sqrt(thermal_energy_ / mass);
      for (int axis = 0; axis < 3; ++axis) v[axis] = width * random.normal();
      taken_up += 0.5 * mass * dot(v, v);
    }
    if (!particles.rotating() || !motion_.has_rotation() || !bodies_[type].rotates()) continue;
    const RigidBody& body = bodies_[type];
    const Quaternion& orientation = particles.orientation[i];
    Vec3& momentum = particles.angular_momentum[i];
    taken_up -= body.kinetic_energy(orientation, momentum);
    Vec3 in_body;
    for (int axis = 0; axis < 3; ++axis) {
      in_body[axis] = std::sqrt(thermal_energy_ * body.inertia()[axis]) * random.normal();
    }
    momentum = orientation.to_lab(in_body);
    taken_up += body.kinetic_energy(orientation, momentum);
  }
  return taken_up;
}

ThermostatRow thermostat::andersen() {
  return {.name = "andersen",
          .sentence =
              "With Andersen's thermostat (J. Chem. Phys. 72, 2384 (1980)) molecules collide "
              "with a heat bath.",
          .equations = "probability of a collision in Δt = 1 - exp(-ν Δt)",
          .remarks =
              "ν is 1 / `time_constant`. In a collision a molecule gets new random velocities at "
              "temperature T. The ensemble is canonical. Transport is disturbed more than "
              "by the other kinds.",
          .source = "Andersen, J. Chem. Phys. 72, 2384 (1980)",
          .aliases = {"anderson"},
          .time_constant = "the mean time from one collision of a molecule to the next",
          .takes_ramps = true,
          .is_canonical = true,
          .constraints = ThermostatRow::Constraints::projected_as_a_whole,
          .takes_groups = true,
          .takes_motions = true,
          .keeps_momentum = keeps_momentum_of_noise,
          .make = [](const ThermostatRequest& request) -> std::unique_ptr<StepModifier> {
            return std::make_unique<NoiseThermostat<Andersen>>(request,
                                                               request.molecules.first_joined_to);
          }};
}

}  // namespace sterna::md
