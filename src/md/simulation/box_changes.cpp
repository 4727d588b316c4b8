// The changes of the box by the barostat, after which lists and forces are computed again.

#include "md/simulation/simulation_implementation.hpp"

namespace sterna::md {

void Simulation::Implementation::start_barostat(const EnergyAndVirial& sums) {
  if (!box_control_.is_used()) return;
  dynamics_.complete_velocities();
  box_control_.barostat()->start(
      box_control_.pressure_state(thermodynamics_.measure(*engine_, sums), sums), clock_.step);
}

void Simulation::Implementation::act_barostat(EnergyAndVirial& sums, bool sample) {
  dynamics_.complete_velocities();
  Barostat& barostat = *box_control_.barostat();
  const bool reads_pressure = box_control_.reads_pressure();
  PressureState state{system_.box, 0.0, {}, {}};
  ThermodynamicState before;
  if (reads_pressure) {
    before = thermodynamics_.measure(*engine_, sums);
    state = box_control_.pressure_state(before, sums);
  }
  box_control_.follow_ramps();
  const Barostat::Change change = barostat.act(state, clock_.step);
  if (change.box.is_identity()) {
    if (reads_pressure && change.velocities.is_identity()) count_box_change(false);
    box_control_.change_velocities(change.velocities);
    return;
  }
  EnergyAndVirial* const wanted = sample || reads_pressure ? &sums : nullptr;
  change_box(change, wanted);
  if (!reads_pressure) return;
  const ThermodynamicState after = thermodynamics_.measure(*engine_, sums);
  if (barostat.accepts(box_control_.pressure_state(after, sums), clock_.step)) {
    barostat.has_lost(before.total_energy - after.total_energy);
    count_box_change(true);
  } else {
    count_box_change(false);
    change_box({change.velocities.inverse(), change.box.inverse()}, wanted);
  }
}

void Simulation::Implementation::count_box_change(bool is_kept) {
  if (const auto warning = box_control_.count_change(is_kept)) warn(*warning);
}

void Simulation::Implementation::change_box(const Barostat::Change& change, EnergyAndVirial* sums) {
  box_control_.change_velocities(change.velocities);
  box_control_.change_box(change.box);
  balancer_->set_box(system_.box, *engine_);
  rebuild();
  put_virtual_sites();
  loop_.rebuilt = true;
  if (sums != nullptr) *sums = {};
  dynamics_.compute_forces(sums);
  dynamics_.reset_pending_kick();
}

}  // namespace sterna::md
