// What a run measures of its state, and who is shown it.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "md/core/unstable_run.hpp"
#include "md/integrate/kinetic.hpp"
#include "md/simulation/logged_scalars.hpp"
#include "md/simulation/simulation_implementation.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

void Simulation::Implementation::measure_now() {
  require_program_terms();
  begin();
  if (!changed_ && measured_step_ == clock_.step) return;
  EnergyAndVirial sums;
  changed_ ? begin_anew(sums) : compute_forces(&sums);
  keep_state(sums);
}

void Simulation::Implementation::keep_state(const EnergyAndVirial& sums) {
  complete_velocities();
  last_state_ = measure(sums);
  if (sees_tensor()) {
    last_state_.center_pressure = center_pressure(pressure_state(last_state_, sums));
  }
  last_sums_ = sums;
  last_sums_ += constraint_sums_;
  measured_step_ = clock_.step;
}

std::array<double, 6> Simulation::Implementation::virial_tensor() const {
  std::array<double, 6> tensor{};
  std::copy_n(last_sums_.virial, tensor.size(), tensor.begin());
  comm::ReductionBatch(context_, "virial").sum(tensor.data(), tensor.size()).run();
  for (std::size_t axis = 0; axis < 3; ++axis) tensor[axis] += system_.tail.virial / 3.0;
  return tensor;
}

std::vector<LoggedScalar> Simulation::Implementation::logged_state() const {
  return logged_scalars(last_state_, input_.units,
                        {.moves = !minimizer_,
                         .rotating = system_.particles.rotating(),
                         .changes_volume = barostat_ != nullptr,
                         .changes_shape = changes_shape()});
}

bool Simulation::Implementation::must_sample() const {
  return clock_.is_due(input_.output.thermo_interval) || trajectories_.is_due(clock_) ||
         clock_.step == clock_.last_step ||
         std::any_of(observers_.begin(), observers_.end(),
                     [&](const auto& observer) { return is_due(*observer); }) ||
         std::any_of(reporters_.begin(), reporters_.end(),
                     [&](const auto& r) { return r->is_due(clock_.step) && r->needs_state(); });
}

ThermodynamicState Simulation::Implementation::measure(const EnergyAndVirial& sums) {
  // What moves a minimization on is no motion: it has no temperature.
  KineticSums kinetic =
      minimizer_ ? KineticSums{} : kinetic_sums(system_.particles, system_.counted_masses);
  ThermodynamicState state;
  state.pair_energy = sums.energy;
  if (constraints_ && !minimizer_)
    constraint_sums_ = constraints_->virial(system_.particles, clock_.step);
  double constraint_virial = constraint_sums_.virial_trace();
  state.virial = sums.virial_trace() + constraint_virial;
  if (system_.particles.rotating() && !minimizer_) {
    state.rotational_energy = rotational_energy(system_.particles, system_.bodies);
  }
  if (minimizer_) state.largest_force = minimizer_->largest_force(system_.particles);
  double virtual_site_virial = virtual_site_sums_.virial_trace();
  double exchanged_energy = 0.0;
  for (const auto& modifier : modifiers_) exchanged_energy += modifier->exchanged_energy();
  const auto terms = std::as_const(*engine_).terms();
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const EnergyAndVirial& part = engine_->sums_by_term()[k];
    const std::string name(terms[k]->name());
    state.terms.push_back({name, part.energy, part.virial_trace(), {}});
    for (const ForceTerm::Part& of_term : terms[k]->parts()) {
      state.terms.back().parts.push_back(
          {fmt::format("{}_{}", name, of_term.name), of_term.energy, of_term.virial});
    }
  }
  comm::ReductionBatch batch(context_, "thermodynamics");
  for (ThermodynamicState::Term& term : state.terms) {
    batch.sum(term.energy).sum(term.virial);
    for (auto& part : term.parts) {
      batch.sum(part.energy);
      if (part.virial) batch.sum(*part.virial);
    }
  }
  batch.sum(state.pair_energy)
      .sum(state.virial)
      .sum(constraint_virial)
      .sum(virtual_site_virial)
      .sum(kinetic.energy)
      .sum(state.rotational_energy)
      .sum(kinetic.momentum.x)
      .sum(kinetic.momentum.y)
      .sum(kinetic.momentum.z)
      .sum(exchanged_energy)
      .max(state.largest_force)
      .run();
  if (system_.tail.energy != 0.0 || system_.tail.virial != 0.0) {
    state.terms.push_back({"tail_correction", system_.tail.energy, system_.tail.virial, {}});
  }
  if (constraints_) state.terms.push_back({"constraints", 0.0, constraint_virial, {}});
  if (virtual_sites_ && virtual_sites_->change_virial()) {
    state.terms.push_back({"virtual_sites", 0.0, virtual_site_virial, {}});
  }
  state.volume = system_.box.volume();
  state.box = {system_.box.length.x, system_.box.length.y, system_.box.length.z};
  state.tilt = {system_.box.tilt.xy, system_.box.tilt.xz, system_.box.tilt.yz};
  state.kinetic_energy = kinetic.energy + state.rotational_energy;
  for (int axis = 0; axis < 3; ++axis) state.momentum[axis] = kinetic.momentum[axis];
  state.potential_energy = state.pair_energy + system_.tail.energy;
  state.total_energy = state.kinetic_energy + state.potential_energy;
  state.conserved_energy = state.total_energy - exchanged_energy;
  if (barostat_) state.conserved_energy += barostat_->energy(system_.box);
  state.temperature = 2.0 * state.kinetic_energy / (degrees_of_freedom_ * input_.units.boltzmann());
  state.pressure = (2.0 * kinetic_factor() * kinetic.energy + state.virial + system_.tail.virial) /
                   (3.0 * system_.box.volume());
  return state;
}

void Simulation::Implementation::check_temperature() {
  // A temperature without degrees of freedom is not a number.
  if (!(degrees_of_freedom_ > 0.0)) return;
  const double thermal = input_.units.boltzmann() * last_state_.temperature;
  if (!first_temperature_) first_temperature_ = last_state_.temperature;
  double asked = std::max(*first_temperature_, input_.start.temperature.value_or(0.0));
  for (const auto& thermostat : input_.thermostats) {
    if (thermostat.is_used()) asked = std::max(asked, thermostat.temperature);
  }
  const double reference =
      std::max(input_.units.boltzmann() * asked, system_.interaction.largest_epsilon());
  const auto text = [&](double value, Dimension dimension) {
    return input_.units.text(value, dimension);
  };
  std::string what;
  // The run has failed if the temperature is 10^4 times the largest of three: the temperature asked
  // for, that of the beginning, the deepest well of the potential.
  if (reference > 0.0 && thermal >= 1e4 * reference) {
    what = fmt::format("the temperature is {}, more than 10^4 times what it was or was to be ({})",
                       text(last_state_.temperature, Dimension::temperature),
                       text(reference / input_.units.boltzmann(), Dimension::temperature));
  }
  // It has failed, too, if a particle at thermal speed crosses the cutoff in one step: it passed
  // others without feeling them. An ideal gas may fly as far as it likes.
  const double flight = std::sqrt(thermal / system_.lightest_moving_mass()) * input_.run.timestep;
  if (what.empty() && system_.interaction.largest_epsilon() > 0.0 &&
      flight >= system_.interaction.range()) {
    what = fmt::format(
        "at the temperature of {} particles fly {} in a time step of {}, farther than the cutoff "
        "of {}, and pass others without a force",
        text(last_state_.temperature, Dimension::temperature), text(flight, Dimension::length),
        text(input_.run.timestep, Dimension::time),
        text(system_.interaction.range(), Dimension::length));
  }
  if (what.empty()) return;
  if (log_) log_->warning(clock_.step, what);
  const bool heated = last_state_.temperature > 2.0 * asked;
  throw UnstableRun(fmt::format(
      "step {}: {}. The timestep is too long{}", clock_.step, what,
      heated ? " for the forces, or particles of the start overlap (minimize first)" : ""));
}

void Simulation::Implementation::warn_of_overlaps() {
  // A thermostat may cool what such forces heat before the next row of the table, so that
  // check_temperature does not see it.
  if (minimizer_) return;
  double acceleration = 0.0, angular_acceleration = 0.0;  // the largest
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
  // In a liquid the path is a thousandth of a diameter, and the angle as many radians.
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
    const auto measured = timer_.measure(Phase::observers);
    keep_state(sums);
  }
  if (!std::isfinite(last_state_.total_energy)) {
    if (log_) log_->warning(clock_.step, "the energy is not finite");
    throw UnstableRun(
        fmt::format("step {}: the energy is not finite (potential {}, kinetic {}): the timestep is "
                    "too long for these forces, or particles of the start overlap (minimize first)",
                    clock_.step, last_state_.potential_energy, last_state_.kinetic_energy));
  }
  if (!minimizer_) check_temperature();
  if (clock_.is_due(input_.output.thermo_interval) || clock_.step == clock_.last_step ||
      clock_.step == 0) {
    const auto measured = timer_.measure(Phase::output);
    if (log_) {
      log_->thermo(clock_.step, input_.units.from_internal(clock_.time(), Dimension::time),
                   logged_state());
    }
    minimizer_
        ? console_.minimization_row(clock_.step, system_.particle_count, last_state_)
        : console_.table_row(clock_.step, clock_.time(), system_.particle_count, last_state_);
    if (averages_) averages_->add(clock_.step, last_state_);
  }
  if (trajectories_.is_due(clock_)) {
    const auto measured = timer_.measure(Phase::output);
    trajectories_.write(clock_, system_, last_state_);
  }
  report();
}

void Simulation::Implementation::report() {
  const Frame frame{
      .step = clock_.step,
      .time = clock_.time(),
      .box = system_.box,
      .particles = system_.particles,
      .masses = system_.masses,
      .state = last_state_,
      .list = engine_->list(),
      .sums = last_sums_,
      .tail_virial = system_.tail.virial,
      .kinetic_factor = kinetic_factor(),
  };
  const bool has_state = measured_step_ == clock_.step;
  const auto measured = timer_.measure(Phase::observers);
  for (const auto& observer : observers_) {
    if (has_state && is_due(*observer)) observer->sample_once(frame);
  }
  for (const auto& reporter : reporters_) {
    if (reporter->needs_state() == has_state && reporter->is_due(clock_.step))
      reporter->report(frame);
  }
}

}  // namespace sterna::md
