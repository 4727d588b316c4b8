// How a run takes on another state: targets, parameters of force terms, and velocities.

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "md/core/json.hpp"
#include "md/forces/state_parameters.hpp"
#include "md/input/thermostat_parts.hpp"
#include "md/integrate/moving_targets.hpp"
#include "md/integrate/thermostats/thermostat.hpp"
#include "md/output/checkpoint_file.hpp"
#include "md/simulation/simulation_implementation.hpp"

namespace sterna::md {
namespace {

/// Those of `values` that the term has.
StateParameters parameters_of(const HasStateParameters& term, const StateParameters& values) {
  StateParameters own;
  for (const auto& [name, present] : term.state_parameters()) {
    if (const auto found = values.find(name); found != values.end()) own.insert(*found);
  }
  return own;
}

}  // namespace

void Simulation::Implementation::begin_state() {
  if (dynamics_.minimizes()) return;
  if (const auto* const kept = thermostat_of_run(input_)) state_.temperature = kept->temperature;
  if (input_.barostat.is_used()) state_.pressure = input_.barostat.pressure;
  const auto& targets = input_.section<MovingTargets>();
  state_.is_set = targets.by_states;
  state_.number = targets.first_state;
  thermodynamics_.set_state_number(state_.number);
}

void Simulation::Implementation::take_charges_of_state() {
  for (const ForceTerm* term : std::as_const(*engine_).terms()) {
    const auto* const of_states = dynamic_cast<const HasStateParameters*>(term);
    if (of_states != nullptr) of_states->set_charges(system_.topology);
  }
}

void Simulation::Implementation::apply_state(const RunState& state) {
  const double boltzmann = input_.units.boltzmann();
  if (state.temperature) {
    for (const auto& modifier : dynamics_.modifiers()) {
      if (auto* const thermostat = dynamic_cast<Thermostat*>(modifier.get())) {
        thermostat->set_target(boltzmann * *state.temperature);
      }
    }
  }
  if (box_control_.is_used() && (state.temperature || state.pressure)) {
    box_control_.barostat()->set_targets(
        boltzmann * state.temperature.value_or(state_.temperature.value_or(0.0)),
        state.pressure.value_or(state_.pressure.value_or(0.0)));
  }
  for (ForceTerm* term : engine_->terms()) {
    auto* const of_states = dynamic_cast<HasStateParameters*>(term);
    if (of_states == nullptr) continue;
    const StateParameters own = parameters_of(*of_states, state.parameters);
    if (!own.empty()) of_states->set_state_parameters(own);
  }
  take_charges_of_state();
  if (state.temperature) state_.temperature = state.temperature;
  if (state.pressure) state_.pressure = state.pressure;
  for (const auto& [name, value] : state.parameters) state_.parameters[name] = value;
  state_.number = state.number;
  state_.is_set = true;
  thermodynamics_.set_state_number(state_.number);
}

void Simulation::Implementation::set_state(const RunState& state) {
  if (reservoirs_ && state.temperature && state.temperature != state_.temperature) {
    throw std::invalid_argument(
        "Simulation::set_state: the activities of [[grand_canonical]] are those of the temperature "
        "of the input, so that it stays");
  }
  measure_now();
  const double before = thermodynamics_.state().conserved_energy;
  dynamics_.complete_velocities();
  if (state.temperature && state_.temperature && *state.temperature != *state_.temperature) {
    const double factor = std::sqrt(*state.temperature / *state_.temperature);
    for (std::size_t i = 0; i < system_.particles.local_count(); ++i) {
      system_.particles.velocity[i] *= factor;
    }
    for (Vec3& momentum : system_.particles.angular_momentum) momentum *= factor;
    system_.frozen.set_velocities(system_.particles);
  }
  apply_state(state);
  EnergyAndVirial sums;
  renew(sums);
  start_barostat(sums);
  thermodynamics_.keep(*engine_, sums);
  thermodynamics_.give(thermodynamics_.state().conserved_energy - before);
  thermodynamics_.keep(*engine_, sums);
}

void Simulation::Implementation::renew(EnergyAndVirial& sums) {
  dynamics_.complete_velocities();
  rebuild();
  dynamics_.compute_forces(&sums);
  dynamics_.reset_pending_kick();
  loop_.renewed_step = clock_.step;
}

std::vector<double> Simulation::Implementation::potential_energies(
    std::span<const RunState> states) {
  measure_now();
  std::vector<double> energies(states.size(), thermodynamics_.state().potential_energy);
  for (ForceTerm* term : engine_->terms()) {
    auto* const of_states = dynamic_cast<HasStateParameters*>(term);
    if (of_states == nullptr) continue;
    std::vector<StateParameters> sets{of_states->state_parameters()};
    for (const RunState& state : states) {
      sets.push_back(parameters_of(*of_states, state.parameters));
    }
    const std::vector<double> found = of_states->energies_with(sets);
    for (std::size_t k = 0; k < states.size(); ++k) energies[k] += found[k + 1] - found[0];
  }
  return energies;
}

StateParameters Simulation::Implementation::state_derivatives() const {
  StateParameters all;
  for (const ForceTerm* term : std::as_const(*engine_).terms()) {
    const auto* const of_states = dynamic_cast<const HasStateParameters*>(term);
    if (of_states != nullptr) all.merge(of_states->derivatives());
  }
  return all;
}

Json Simulation::Implementation::saved_state() const {
  if (!state_.is_set) return nullptr;
  Json parameters = Json::object();
  for (const auto& [name, value] : state_.parameters) parameters[name] = exact_text(value);
  Json saved = {{"number", state_.number},
                {"parameters", parameters},
                {"given", exact_text(thermodynamics_.given_by_states())}};
  if (state_.temperature) saved["temperature"] = exact_text(*state_.temperature);
  if (state_.pressure) saved["pressure"] = exact_text(*state_.pressure);
  return saved;
}

void Simulation::Implementation::restore_state(const Json& saved) {
  // A run that is no replica has the targets of its input.
  if (!input_.section<MovingTargets>().by_states) return;
  RunState state{
      .number = saved.at("number").get<int>(), .temperature = {}, .pressure = {}, .parameters = {}};
  if (saved.contains("temperature")) state.temperature = exact_value(saved["temperature"]);
  if (saved.contains("pressure")) state.pressure = exact_value(saved["pressure"]);
  for (const auto& [name, value] : saved.at("parameters").items()) {
    state.parameters[name] = exact_value(value);
  }
  apply_state(state);
  thermodynamics_.give(exact_value(saved.at("given")) - thermodynamics_.given_by_states());
}

}  // namespace sterna::md
