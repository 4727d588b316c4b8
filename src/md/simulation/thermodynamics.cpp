#include "md/simulation/thermodynamics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "md/integrate/kinetic.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

/// What the ranks add up for a state, besides what the state has.
struct Thermodynamics::RankSums {
  KineticSums kinetic;
  double constraint_virial = 0.0, virtual_site_virial = 0.0;
  double exchanged_energy = 0.0;  ///< given to the particles by modifiers and terms
};

Thermodynamics::RankSums Thermodynamics::sums_of_rank(const ForceEngine& engine,
                                                      const EnergyAndVirial& sums,
                                                      ThermodynamicState& state) {
  RankSums result;
  // A minimization has no temperature, because a minimizer's velocities are no thermal motion.
  if (dynamics_.minimizes()) {
    state.largest_force = dynamics_.minimizer()->largest_force(system_.particles);
  } else {
    result.kinetic = kinetic_sums(system_.particles, system_.counted_masses);
    if (system_.particles.rotating()) {
      state.rotational_energy = rotational_energy(system_.particles, system_.bodies);
    }
  }
  state.pair_energy = sums.energy;
  result.constraint_virial = dynamics_.measure_constraints().virial_trace();
  state.virial = sums.virial_trace() + result.constraint_virial;
  result.virtual_site_virial = dynamics_.virtual_site_sums().virial_trace();
  result.exchanged_energy = dynamics_.exchanged_energy();
  const auto terms = engine.terms();
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const EnergyAndVirial& part = engine.sums_by_term()[k];
    const std::string name(terms[k]->name());
    state.terms.push_back({name, part.energy, part.virial_trace(), {}});
    result.exchanged_energy += terms[k]->given_energy();
    for (const ForceTerm::Part& of_term : terms[k]->parts()) {
      state.terms.back().parts.push_back(
          {fmt::format("{}_{}", name, of_term.name), of_term.energy, of_term.virial});
    }
  }
  return result;
}

void Thermodynamics::add_up(RankSums& sums, ThermodynamicState& state) const {
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
      .sum(sums.constraint_virial)
      .sum(sums.virtual_site_virial)
      .sum(sums.kinetic.energy)
      .sum(state.rotational_energy)
      .sum(sums.kinetic.momentum.x)
      .sum(sums.kinetic.momentum.y)
      .sum(sums.kinetic.momentum.z)
      .sum(sums.exchanged_energy)
      .max(state.largest_force)
      .run();
}

ThermodynamicState Thermodynamics::measure(const ForceEngine& engine, const EnergyAndVirial& sums) {
  ThermodynamicState state;
  RankSums all = sums_of_rank(engine, sums, state);
  add_up(all, state);
  if (system_.tail.energy != 0.0 || system_.tail.virial != 0.0) {
    state.terms.push_back({"tail_correction", system_.tail.energy, system_.tail.virial, {}});
  }
  if (dynamics_.has_constraints()) {
    state.terms.push_back({"constraints", 0.0, all.constraint_virial, {}});
  }
  if (dynamics_.virtual_sites() != nullptr && dynamics_.virtual_sites()->change_virial()) {
    state.terms.push_back({"virtual_sites", 0.0, all.virtual_site_virial, {}});
  }
  state.volume = system_.box.volume();
  state.box = {system_.box.length.x, system_.box.length.y, system_.box.length.z};
  state.tilt = {system_.box.tilt.xy, system_.box.tilt.xz, system_.box.tilt.yz};
  state.kinetic_energy = all.kinetic.energy + state.rotational_energy;
  for (int axis = 0; axis < 3; ++axis) state.momentum[axis] = all.kinetic.momentum[axis];
  state.potential_energy = state.pair_energy + system_.tail.energy;
  state.total_energy = state.kinetic_energy + state.potential_energy;
  state.conserved_energy = state.total_energy - all.exchanged_energy;
  state.conserved_energy += box_control_.energy() - given_by_states_;
  const DegreesOfFreedom& degrees = dynamics_.degrees_of_freedom();
  state.temperature = 2.0 * state.kinetic_energy / (degrees.all * input_.units.boltzmann());
  state.pressure =
      (2.0 * degrees.kinetic_factor * all.kinetic.energy + state.virial + system_.tail.virial) /
      (3.0 * system_.box.volume());
  return state;
}

void Thermodynamics::keep(const ForceEngine& engine, const EnergyAndVirial& sums) {
  dynamics_.complete_velocities();
  state_ = measure(engine, sums);
  if (box_control_.sees_tensor()) {
    state_.center_pressure =
        box_control_.center_pressure(box_control_.pressure_state(state_, sums));
  }
  sums_ = sums;
  sums_ += dynamics_.constraint_sums();
  measured_step_ = clock_.step;
}

std::array<double, 6> Thermodynamics::virial_tensor() const {
  std::array<double, 6> tensor{};
  std::copy_n(sums_.virial, tensor.size(), tensor.begin());
  comm::ReductionBatch(context_, "virial").sum(tensor.data(), tensor.size()).run();
  for (std::size_t axis = 0; axis < 3; ++axis) tensor[axis] += system_.tail.virial / 3.0;
  return tensor;
}

std::vector<LoggedScalar> Thermodynamics::logged() const {
  std::vector<LoggedScalar> logged =
      logged_scalars(state_, input_.units,
                     {.moves = !dynamics_.minimizes(),
                      .rotating = system_.particles.rotating(),
                      .changes_volume = box_control_.is_used(),
                      .changes_shape = box_control_.changes_shape()});
  if (const auto strain = box_control_.strain()) {
    static constexpr const char* names[] = {"strain_x",  "strain_y",  "strain_z",
                                            "strain_xy", "strain_xz", "strain_yz"};
    for (std::size_t k = 0; k < 6; ++k) logged.push_back({names[k], (*strain)[k]});
  }
  if (state_number_ >= 0) logged.push_back({"state", static_cast<double>(state_number_)});
  if (more_columns_) {
    for (LoggedScalar& column : more_columns_()) logged.push_back(std::move(column));
  }
  return logged;
}

Thermodynamics::Overheating Thermodynamics::overheating() {
  // Without degrees of freedom the temperature is not a number.
  if (!(dynamics_.degrees_of_freedom().all > 0.0)) return {};
  const double thermal = input_.units.boltzmann() * state_.temperature;
  if (!first_temperature_) first_temperature_ = state_.temperature;
  double asked = std::max(*first_temperature_, input_.start.temperature.value_or(0.0));
  for (const auto& thermostat : input_.thermostats) {
    if (thermostat.is_used()) asked = std::max(asked, thermostat.highest_temperature());
  }
  const double reference =
      std::max(input_.units.boltzmann() * asked, system_.interaction.largest_epsilon());
  const auto text = [&](double value, Dimension dimension) {
    return input_.units.text(value, dimension);
  };
  std::string what;
  // The run has failed if the temperature is 10^4 times the largest of three: the target
  // temperature, the temperature at the start, the depth of the deepest potential well.
  if (reference > 0.0 && thermal >= 1e4 * reference) {
    what = fmt::format("the temperature is {}, more than 10^4 times what it was or was to be ({})",
                       text(state_.temperature, Dimension::temperature),
                       text(reference / input_.units.boltzmann(), Dimension::temperature));
  }
  // It has also failed if a particle at thermal speed crosses the cutoff in one step, because it
  // then passes others without feeling them. In an ideal gas this does no harm.
  const double flight = std::sqrt(thermal / system_.lightest_moving_mass()) * input_.run.timestep;
  if (what.empty() && system_.interaction.largest_epsilon() > 0.0 &&
      flight >= system_.interaction.range()) {
    what = fmt::format(
        "at the temperature of {} particles fly {} in a time step of {}, farther than the cutoff "
        "of {}, and pass others without a force",
        text(state_.temperature, Dimension::temperature), text(flight, Dimension::length),
        text(input_.run.timestep, Dimension::time),
        text(system_.interaction.range(), Dimension::length));
  }
  return {std::move(what), state_.temperature > 2.0 * asked};
}

}  // namespace sterna::md
