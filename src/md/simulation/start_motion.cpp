// Velocities of a start, and its constraints.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "md/integrate/kinetic.hpp"
#include "md/simulation/simulation_implementation.hpp"
#include "md/simulation/start_velocity.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

void Simulation::Implementation::stop_motion() {
  std::fill(particles_.velocity.begin(), particles_.velocity.end(), Vec3{});
  std::fill(particles_.angular_momentum.begin(), particles_.angular_momentum.end(), Vec3{});
}

void Simulation::Implementation::draw_velocities() {
  const double thermal_energy = input_.units.boltzmann() * *input_.start.temperature;
  StartVelocity start(input_.run.seed, *std::max_element(masses_.begin(), masses_.end()),
                      thermal_energy);
  for (std::size_t i = 0; i < particles_.local_count(); ++i) {
    const auto type = static_cast<std::size_t>(particles_.position[i].type);
    if (!frozen_.flags().empty() && frozen_.flags()[type] != 0) continue;
    particles_.velocity[i] = start.draw(particles_.id[i], masses_[type]);
    start.add(particles_.velocity[i], masses_[type]);
    if (!particles_.rotating()) continue;
    const RigidBody& body = bodies_[type];
    const Quaternion& orientation = particles_.orientation[i];
    Vec3& angular_momentum = particles_.angular_momentum[i];
    angular_momentum = orientation.to_lab(start.draw_rotation(particles_.id[i], body.inertia()));
    start.add_rotation(body.kinetic_energy(orientation, angular_momentum),
                       body.degrees_of_freedom());
  }
  comm::ReductionBatch batch(context_, "start velocities");
  batch.sum(start.sums().data(), start.sums().size()).run();
  const auto adjust = start.adjustment();
  for (Vec3& velocity : particles_.velocity) velocity = adjust(velocity);
  for (Vec3& l : particles_.angular_momentum) l *= adjust.rotation_scale;
}

void Simulation::Implementation::project_start() {
  const auto violation = constraints_->project_positions(particles_, step_);
  if (violation.moved_positions) {
    console_.line(fmt::format(
        "constraints: the start violates them by up to {:.2g} of their length; atoms are moved by "
        "up to {}",
        violation.distance, input_.units.text(violation.shift, Dimension::length)));
    rebuild();
  }
  const double along = constraints_->constrain_start_velocities(particles_, step_);
  constraints_->throw_where_not_converged();
  if (draw_velocities_) {
    scale_start_velocities();
    draw_velocities_ = false;
  } else if (along * input_.run.timestep > 1e-6 * violation.longest) {
    console_.line(
        fmt::format("constraints: velocities of the start that change a distance are taken off: up "
                    "to {}",
                    input_.units.text(along, Dimension::velocity)));
  }
}

void Simulation::Implementation::scale_start_velocities() {
  double energy = kinetic_sums(particles_, counted_masses_).energy;
  comm::ReductionBatch(context_, "start velocities").sum(energy).run();
  if (energy <= 0.0) return;
  const double thermal_energy = input_.units.boltzmann() * *input_.start.temperature;
  const double factor = std::sqrt(0.5 * translational_degrees() * thermal_energy / energy);
  for (Vec3& velocity : particles_.velocity) velocity *= factor;
  if (frozen_.flags().empty()) return;
  frozen_.set_velocities(particles_);
  constraints_->constrain_velocities(particles_, step_);
}

}  // namespace sterna::md
