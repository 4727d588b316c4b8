// The observers and reporters of a run, and the steps at which they are called.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "md/core/unstable_run.hpp"
#include "md/simulation/simulation_implementation.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

void Simulation::Implementation::measure_now() {
  program_.require_terms();
  begin();
  if (!program_.has_changed && thermodynamics_.is_of_now()) return;
  EnergyAndVirial sums;
  program_.has_changed ? restart_from_changes(sums) : dynamics_.compute_forces(&sums);
  thermodynamics_.keep(*engine_, sums);
}

bool Simulation::Implementation::must_sample() const {
  return clock_.is_due(input_.output.thermo_interval) || files_.trajectories.is_due(clock_) ||
         clock_.step == clock_.last_step || sampling_.needs_state(clock_.step);
}

void Simulation::Implementation::check_temperature() {
  const Thermodynamics::Overheating found = thermodynamics_.overheating();
  if (found.what.empty()) return;
  if (messages_.log) messages_.log->warning(clock_.step, found.what);
  throw UnstableRun(fmt::format(
      "step {}: {}. The timestep is too long{}", clock_.step, found.what,
      found.was_heated ? " for the forces, or particles of the start overlap (minimize first)"
                       : ""));
}

void Simulation::Implementation::warn_of_overlaps() {
  // A thermostat may remove the heat of such forces before the next row of the table, so that
  // check_temperature does not see it.
  if (dynamics_.minimizes()) return;
  double acceleration = 0.0, angular_acceleration = 0.0;  // largest values over the particles
  for (std::size_t i = 0; i < system_.particles.local_count(); ++i) {
    const auto type = static_cast<std::size_t>(system_.particles.position[i].type);
    const Vec3& force = system_.particles.force[i];
    if (!(system_.counted_masses[type] > 0.0)) continue;
    acceleration =
        std::max(acceleration, std::sqrt(dot(force, force)) / system_.counted_masses[type]);
    if (!system_.particles.rotating() || !system_.bodies[type].rotates()) continue;
    const Vec3 turn = system_.bodies[type].angular_velocity(system_.particles.orientation[i],
                                                            system_.particles.torque[i]);
    angular_acceleration = std::max(angular_acceleration, std::sqrt(dot(turn, turn)));
  }
  comm::ReductionBatch batch(context_, "largest accelerations");
  batch.max(acceleration).max(angular_acceleration).run();
  const double squared_step = input_.run.timestep * input_.run.timestep;
  const double path = acceleration * squared_step, angle = angular_acceleration * squared_step;
  // In a liquid the path is about a thousandth of a diameter, and the angle about a thousandth of a
  // radian.
  const double longest = 0.1 * system_.interaction.range();
  constexpr double widest = 1.0;
  std::string what;
  if (longest > 0.0 && path > longest) {
    what = "move a particle by " + input_.units.text(path, Dimension::length);
  } else if (angle > widest) {
    what = fmt::format("turn a molecule by {:.3g} radians", angle);
  }
  if (what.empty()) return;
  warn(
      fmt::format("the forces of the start {} in a step of {}: particles overlap. Minimize first, "
                  "or limit forces and velocities, torques and angular momenta ([[limit]]): the "
                  "run may end at any step, and what it gives is not that of the potential",
                  what, input_.units.text(input_.run.timestep, Dimension::time)));
}

void Simulation::Implementation::observe(const EnergyAndVirial& sums) {
  {
    const auto measured = loop_.timer.measure(Phase::observers);
    thermodynamics_.keep(*engine_, sums);
  }
  const ThermodynamicState& state = thermodynamics_.state();
  if (!std::isfinite(state.total_energy)) {
    if (messages_.log) messages_.log->warning(clock_.step, "the energy is not finite");
    throw UnstableRun(
        fmt::format("step {}: the energy is not finite (potential {}, kinetic {}): the timestep is "
                    "too long for these forces, or particles of the start overlap (minimize first)",
                    clock_.step, state.potential_energy, state.kinetic_energy));
  }
  if (!dynamics_.minimizes()) check_temperature();
  if (clock_.is_due(input_.output.thermo_interval) || clock_.step == clock_.last_step ||
      clock_.step == 0) {
    const auto measured = loop_.timer.measure(Phase::output);
    if (messages_.log) {
      messages_.log->thermo(clock_.step, input_.units.from_internal(clock_.time(), Dimension::time),
                            thermodynamics_.logged());
    }
    dynamics_.minimizes()
        ? messages_.console.minimization_row(clock_.step, system_.particle_count, state)
        : messages_.console.table_row(clock_.step, clock_.time(), system_.particle_count, state);
    if (sampling_.averages) {
      sampling_.averages->add(clock_.step, state,
                              reservoirs_ ? reservoirs_->counts() : std::vector<double>());
    }
  }
  // Observers come first, because trajectories have the particle fields that some of them keep.
  {
    const auto measured = loop_.timer.measure(Phase::observers);
    sampling_.sample(frame());
  }
  if (files_.trajectories.is_due(clock_)) {
    const auto measured = loop_.timer.measure(Phase::output);
    files_.trajectories.write(clock_, system_, state);
  }
  report();
}

Frame Simulation::Implementation::frame() const {
  return {
      .step = clock_.step,
      .time = clock_.time(),
      .box = system_.box,
      .particles = system_.particles,
      .masses = system_.masses,
      .state = thermodynamics_.state(),
      .list = engine_->list(),
      .sums = thermodynamics_.sums(),
      .tail_virial = system_.tail.virial,
      .kinetic_factor = dynamics_.degrees_of_freedom().kinetic_factor,
  };
}

void Simulation::Implementation::report() {
  const auto measured = loop_.timer.measure(Phase::observers);
  sampling_.report(frame(), thermodynamics_.is_of_now());
}

}  // namespace sterna::md
