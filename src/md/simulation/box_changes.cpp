// What a barostat does to a run: boxes, centers and their pressure.

#include <fmt/format.h>

#include <utility>

#include "md/integrate/barostats/barostat_table.hpp"
#include "md/simulation/simulation_implementation.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

void Simulation::Implementation::make_barostat() {
  center_count_ =
      static_cast<double>(system_.moving_count - Centers::joined_atoms(system_.topology));
  double temperature = input_.start.temperature.value_or(0.0);
  if (!input_.thermostats.empty()) temperature = input_.thermostats[0].temperature;
  barostat_ = sterna::md::make_barostat({.input = input_,
                                         .thermal_energy = input_.units.boltzmann() * temperature,
                                         .centers = center_count_});
}

double Simulation::Implementation::center_degrees() const {
  return std::max(1.0, 3.0 * center_count_ - (keeps_momentum() ? 3.0 : 0.0));
}

bool Simulation::Implementation::sees_tensor() const {
  return barostat_ && (constraints_ || input_.barostat.coupling != Input::Coupling::isotropic);
}

PressureState Simulation::Implementation::pressure_state(const ThermodynamicState& measured,
                                                         const EnergyAndVirial& sums) {
  PressureState state{system_.box, measured.pressure, {}, {}};
  for (std::size_t axis = 0; axis < 3; ++axis) state.virial[axis] = system_.tail.virial / 3.0;
  if (sees_tensor()) {
    state.kinetic = centers_->kinetic(system_.particles);
    Tensor virial = centers_->inner_virial(system_.particles);
    for (std::size_t k = 0; k < 6; ++k) virial[k] = sums.virial[k] - virial[k];
    comm::ReductionBatch(context_, "pressure")
        .sum(state.kinetic.data(), state.kinetic.size())
        .sum(virial.data(), virial.size())
        .run();
    for (std::size_t k = 0; k < 6; ++k) state.virial[k] += virial[k];
    const Tensor tensor = center_pressure(state);
    state.pressure = (tensor[0] + tensor[1] + tensor[2]) / 3.0;
  } else {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      state.kinetic[axis] = 2.0 * (measured.kinetic_energy - measured.rotational_energy) / 3.0;
      state.virial[axis] += measured.virial / 3.0;
    }
  }
  return state;
}

Tensor Simulation::Implementation::center_pressure(const PressureState& state) const {
  return state.tensor(3.0 * center_count_ / center_degrees());
}

void Simulation::Implementation::start_barostat(const EnergyAndVirial& sums) {
  if (!barostat_) return;
  complete_velocities();
  barostat_->start(pressure_state(measure(sums), sums), clock_.step);
}

void Simulation::Implementation::act_barostat(EnergyAndVirial& sums, bool sample) {
  complete_velocities();
  const bool reads_pressure = barostat_->reads_pressure(clock_.step);
  PressureState state{system_.box, 0.0, {}, {}};
  ThermodynamicState before;
  if (reads_pressure) {
    before = measure(sums);
    state = pressure_state(before, sums);
  }
  const Barostat::Change change = barostat_->act(state, clock_.step);
  if (change.box.is_identity()) {
    if (reads_pressure && change.velocities.is_identity()) count_box_change(false);
    change_velocities(change.velocities);
    return;
  }
  EnergyAndVirial* const wanted = sample || reads_pressure ? &sums : nullptr;
  change_box(change, wanted);
  if (!reads_pressure) return;
  const ThermodynamicState after = measure(sums);
  if (barostat_->accepts(pressure_state(after, sums), clock_.step)) {
    barostat_->has_lost(before.total_energy - after.total_energy);
    count_box_change(true);
  } else {
    count_box_change(false);
    change_box({change.velocities.inverse(), change.box.inverse()}, wanted);
  }
}

void Simulation::Implementation::count_box_change(bool is_kept) {
  constexpr std::int64_t enough = 20;  // to tell a wrong setting from chance
  ++box_changes_;
  if (is_kept) ++kept_box_changes_;
  if (box_changes_ % enough != 0 || 10 * kept_box_changes_ >= box_changes_) return;
  if (std::exchange(told_of_box_changes_, true)) return;
  warn(fmt::format(
      "{} of {} changes of the box were undone, so that its volume hardly follows the pressure: "
      "\"bulk_modulus\" in [barostat] is far too small, or \"interval\" too long beside "
      "\"time_constant\"",
      box_changes_ - kept_box_changes_, box_changes_));
}

void Simulation::Implementation::change_velocities(const Deformation& by) {
  if (!by.is_identity()) centers_->change_velocities(system_.particles, by);
}

void Simulation::Implementation::change_box(const Barostat::Change& change, EnergyAndVirial* sums) {
  change_velocities(change.velocities);
  system_.set_box(change.box(system_.box));
  centers_->move_positions(system_.particles, change.box);
  balancer_->set_box(system_.box, *engine_);
  rebuild();
  if (virtual_sites_) put_virtual_sites();
  rebuilt_ = true;
  if (sums != nullptr) *sums = {};
  compute_forces(sums);
  integrator_->forces_are_those_of_a_start();
}

}  // namespace sterna::md
