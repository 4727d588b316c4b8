// The velocities of a start, and the constraints and virtual sites of a start.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "md/integrate/kinetic.hpp"
#include "md/simulation/simulation_implementation.hpp"
#include "md/simulation/starting/start_velocity.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

void Simulation::Implementation::stop_motion() {
  std::fill(system_.particles.velocity.begin(), system_.particles.velocity.end(), Vec3{});
  std::fill(system_.particles.angular_momentum.begin(), system_.particles.angular_momentum.end(),
            Vec3{});
}

void Simulation::Implementation::draw_velocities() {
  const double thermal_energy = input_.units.boltzmann() * *input_.start.temperature;
  StartVelocity start(input_.run.seed,
                      *std::max_element(system_.masses.begin(), system_.masses.end()),
                      thermal_energy);
  for (std::size_t i = 0; i < system_.particles.local_count(); ++i) {
    const auto type = static_cast<std::size_t>(system_.particles.position[i].type);
    if (!system_.frozen.flags().empty() && system_.frozen.flags()[type] != 0) continue;
    system_.particles.velocity[i] = start.draw(system_.particles.id[i], system_.masses[type]);
    start.add(system_.particles.velocity[i], system_.masses[type]);
    if (!system_.particles.turns(i)) continue;
    const RigidBody& body = system_.bodies[type];
    const Quaternion& orientation = system_.particles.orientation[i];
    Vec3& angular_momentum = system_.particles.angular_momentum[i];
    angular_momentum =
        orientation.to_lab(start.draw_rotation(system_.particles.id[i], body.inertia()));
    start.add_rotation(body.kinetic_energy(orientation, angular_momentum),
                       body.degrees_of_freedom());
  }
  comm::ReductionBatch batch(context_, "start velocities");
  batch.sum(start.sums().data(), start.sums().size()).run();
  const auto adjust = start.adjustment();
  for (Vec3& velocity : system_.particles.velocity) velocity = adjust(velocity);
  for (Vec3& l : system_.particles.angular_momentum) l *= adjust.rotation_scale;
}

void Simulation::Implementation::project_start() {
  const auto violation = dynamics_.project_positions();
  if (violation.moved_positions) {
    messages_.console.line(fmt::format(
        "constraints: the start violates them by up to {:.2g} of their length; atoms are moved by "
        "up to {}",
        violation.distance, input_.units.text(violation.shift, Dimension::length)));
    rebuild();
  }
  const double along = dynamics_.project_start_velocities();
  if (start_.draws_velocities) {
    scale_start_velocities();
    start_.draws_velocities = false;
  } else if (along * input_.run.timestep > 1e-6 * violation.longest) {
    messages_.console.line(
        fmt::format("constraints: velocities of the start that change a distance are taken off: up "
                    "to {}",
                    input_.units.text(along, Dimension::velocity)));
  }
}

void Simulation::Implementation::scale_start_velocities() {
  double energy = kinetic_sums(system_.particles, system_.counted_masses).energy;
  comm::ReductionBatch(context_, "start velocities").sum(energy).run();
  if (energy <= 0.0) return;
  const double thermal_energy = input_.units.boltzmann() * *input_.start.temperature;
  const double factor =
      std::sqrt(0.5 * dynamics_.degrees_of_freedom().translational * thermal_energy / energy);
  for (Vec3& velocity : system_.particles.velocity) velocity *= factor;
  if (system_.frozen.flags().empty()) return;
  system_.frozen.set_velocities(system_.particles);
  dynamics_.project_velocities();
}

void Simulation::Implementation::put_virtual_sites() {
  if (dynamics_.virtual_sites() != nullptr && dynamics_.put_virtual_sites() > 0.0) rebuild();
}

void Simulation::Implementation::put_virtual_sites_of_start() {
  if (dynamics_.virtual_sites() == nullptr) return;
  const double farthest = dynamics_.put_virtual_sites();
  if (farthest > 0.0) rebuild();
  // A small move is not reported, because files with few digits cause it.
  if (farthest <= 1e-4 * lists_.skin()) return;
  messages_.console.line(
      fmt::format("virtual sites: the start has them up to {} from their places, where "
                  "they are put",
                  input_.units.text(farthest, Dimension::length)));
}

}  // namespace sterna::md
