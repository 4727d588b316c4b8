#include "md/simulation/box_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "md/input/thermostat_parts.hpp"
#include "md/integrate/barostats/barostat_table.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

void BoxControl::make_barostat() {
  center_count_ =
      static_cast<double>(system_.moving_count - Centers::joined_atoms(system_.topology));
  double temperature = input_.start.temperature.value_or(0.0);
  if (const auto* const kept = thermostat_of_run(input_)) temperature = kept->temperature;
  barostat_ = sterna::md::make_barostat({.input = input_,
                                         .thermal_energy = input_.units.boltzmann() * temperature,
                                         .centers = center_count_});
  if (barostat_) make_ramps(temperature);
}

void BoxControl::make_ramps(double temperature) {
  const Input::Thermostat* const kept = thermostat_of_run(input_);
  const auto end_temperature = kept == nullptr ? std::nullopt : kept->end_temperature;
  const auto end_pressure = input_.barostat.end_pressure;
  if (!end_temperature && !end_pressure) return;
  const double boltzmann = input_.units.boltzmann(), pressure = input_.barostat.pressure;
  thermal_energy_ = {boltzmann * temperature, boltzmann * end_temperature.value_or(temperature)};
  pressure_ = {pressure, end_pressure.value_or(pressure), 0, input_.run.steps};
  if (!end_temperature) return;
  thermal_energy_->from = kept->start_step;
  const std::int64_t stop = kept->stop_step;
  thermal_energy_->to = stop > 0 ? stop : input_.run.steps;
}

void BoxControl::follow_ramps() {
  if (!thermal_energy_) return;
  barostat_->set_targets(thermal_energy_->at(clock_.step), pressure_->at(clock_.step));
}

void BoxControl::connect(std::shared_ptr<const MoleculePlaces> places,
                         Centers::GhostVectors ghost_vectors) {
  if (!is_used()) return;
  centers_ = std::make_unique<Centers>(context_, std::move(places), system_.masses,
                                       std::move(ghost_vectors));
}

void BoxControl::set_motion(bool keeps_momentum, bool are_joined) {
  keeps_momentum_ = keeps_momentum;
  are_joined_ = are_joined;
  if (is_used()) barostat_->set_degrees_of_freedom(center_degrees());
}

double BoxControl::center_degrees() const {
  return std::max(1.0, 3.0 * center_count_ - (keeps_momentum_ ? 3.0 : 0.0));
}

PressureState BoxControl::pressure_state(const ThermodynamicState& measured,
                                         const EnergyAndVirial& sums) {
  PressureState state{system_.box, measured.pressure, {}, {}};
  for (std::size_t axis = 0; axis < 3; ++axis) state.virial[axis] = system_.tail.virial / 3.0;
  if (!sees_tensor()) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      state.kinetic[axis] = 2.0 * (measured.kinetic_energy - measured.rotational_energy) / 3.0;
      state.virial[axis] += measured.virial / 3.0;
    }
    return state;
  }
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
  return state;
}

Tensor BoxControl::center_pressure(const PressureState& state) const {
  return state.tensor(3.0 * center_count_ / center_degrees());
}

void BoxControl::change_velocities(const Deformation& by) {
  if (!by.is_identity()) centers_->change_velocities(system_.particles, by);
}

void BoxControl::change_box(const Deformation& by) {
  system_.set_box(by(system_.box));
  centers_->move_positions(system_.particles, by);
}

std::optional<std::string> BoxControl::count_change(bool is_kept) {
  constexpr std::int64_t enough = 20;  // changes needed to tell a wrong setting from chance
  ++changes_;
  if (is_kept) ++kept_changes_;
  if (changes_ % enough != 0 || 10 * kept_changes_ >= changes_) return std::nullopt;
  if (std::exchange(warned_, true)) return std::nullopt;
  return fmt::format(
      "{} of {} changes of the box were undone, so that its volume hardly follows the pressure: "
      "\"bulk_modulus\" in [barostat] is far too small, or \"interval\" too long beside "
      "\"time_constant\"",
      changes_ - kept_changes_, changes_);
}

}  // namespace sterna::md
