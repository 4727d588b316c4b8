#include "md/forces/alchemy/alchemical_term.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "md/forces/alchemy/dhdl_head.hpp"

namespace sterna::md {
namespace {

constexpr double alchemy_state_format = 1.0;

AlchemicalState changed_by(AlchemicalState state, const StateParameters& values) {
  const auto take = [&](std::string_view name, double& value) {
    if (const auto found = values.find(name); found != values.end()) value = found->second;
  };
  for (const AlchemicalPart& part : alchemical_parts) take(part.parameter, state.*part.value);
  return state;
}

}  // namespace

AlchemicalTerm::AlchemicalTerm(const comm::Context& context, States states)
    : writes_(context.rank() == 0),
      states_(std::move(states)),
      now_(states_.all[states_.start]),
      motion_(context, std::move(states_.motion)) {
  if (states_.interval > 0) texts_.push_back({".dhdl.xvg", head()});
}

void AlchemicalTerm::begin_step(const StepContext& now) {
  time_ = now.time;
  is_new_ = now.step != step_;
  step_ = now.step;
}

void AlchemicalTerm::write_if_due() {
  if (is_new_ && states_.interval > 0 && step_ % states_.interval == 0) {
    AlchemicalEnergies found = energies(*particles_, states_.all);
    if (motion_.is_used()) {
      without_motion_ = std::move(found);
    } else {
      write_row(found);
    }
  }
  is_new_ = false;
}

bool AlchemicalTerm::needs_motion(std::int64_t step) const {
  return motion_.is_used() && states_.interval > 0 && step % states_.interval == 0;
}

void AlchemicalTerm::see_motion(const ParticleStore& particles, double by_lengths) {
  // Forces that a resumed run computes again have their row in the file.
  if (!without_motion_) return;
  motion_.add(particles, by_lengths, now_, states_.all, *without_motion_);
  write_row(*without_motion_);
  without_motion_.reset();
}

StateParameters AlchemicalTerm::state_parameters() const {
  StateParameters values;
  for (const AlchemicalPart& part : alchemical_parts) {
    values.emplace(part.parameter, now_.*part.value);
  }
  return values;
}

void AlchemicalTerm::set_state_parameters(const StateParameters& values) {
  const AlchemicalState state = changed_by(now_, values);
  require_same_motion(state);
  now_ = state;
}

std::vector<double> AlchemicalTerm::energies_with(std::span<const StateParameters> sets) {
  std::vector<AlchemicalState> states;
  for (const StateParameters& set : sets) {
    require_same_motion(states.emplace_back(changed_by(now_, set)));
  }
  derivatives_.clear();
  // States that differ in temperatures or biases alone cost nothing here.
  if (std::ranges::all_of(states, [&](const AlchemicalState& state) { return state == now_; })) {
    return std::vector<double>(states.size(), 0.0);
  }
  const AlchemicalEnergies found = energies(*particles_, states);
  derivatives_ = {{std::string(alchemical_parts[0].parameter), found.by_charges},
                  {std::string(alchemical_parts[1].parameter), found.by_van_der_waals}};
  // Motion has a part in the others, which positions do not tell.
  if (!motion_.lengths_change()) {
    derivatives_.emplace(alchemical_parts[2].parameter, found.by_bonded);
  }
  if (!motion_.masses_change()) {
    derivatives_.emplace(alchemical_parts[3].parameter, found.by_masses);
  }
  return found.differences;
}

void AlchemicalTerm::require_same_motion(const AlchemicalState& state) const {
  const bool masses_differ = motion_.masses_change() && state.masses != now_.masses;
  if (!masses_differ && !(motion_.lengths_change() && state.bonded != now_.bonded)) return;
  throw std::invalid_argument(fmt::format(
      "the state has other {} than the run, which keeps those of its start; expected a run that "
      "starts in it, or the file .dhdl.xvg, which has the energies of all states",
      masses_differ ? "masses" : "lengths of constraints"));
}

void AlchemicalTerm::write_row(const AlchemicalEnergies& energies) {
  if (!writes_) return;
  std::string& lines = texts_.front().lines;
  const double slopes[] = {energies.by_charges, energies.by_van_der_waals, energies.by_bonded,
                           energies.by_masses};
  lines += fmt::format("{:.12g}", time_);
  for (const double slope : std::span(slopes).first(states_.parts)) {
    lines += fmt::format(" {:.12g}", slope);
  }
  for (const double difference : energies.differences) lines += fmt::format(" {:.12g}", difference);
  lines += "\n";
}

std::string AlchemicalTerm::head() const {
  const auto parts = parts_of_state();
  DhdlHead head{.comment = "# Written by Sterna in the form of GROMACS's dhdl.xvg\n",
                .temperature = states_.temperature,
                .thermal_energy = states_.thermal_energy,
                .parts = {},
                .lambdas = {},
                .derivatives = parts.size()};
  for (const AlchemicalPart& part : parts) head.parts.emplace_back(part.lambda);
  for (const AlchemicalState& state : states_.all) {
    std::vector<double>& lambdas = head.lambdas.emplace_back();
    for (const AlchemicalPart& part : parts) lambdas.push_back(state.*part.value);
  }
  return head.of_state(states_.start);
}

std::vector<double> AlchemicalTerm::state() const {
  std::vector<double> state{alchemy_state_format, static_cast<double>(step_)};
  if (states_.change) state.insert(state.end(), {now_.van_der_waals, now_.charges, now_.bonded});
  return state;
}

void AlchemicalTerm::restore(std::span<const double> state) {
  const std::size_t expected = states_.change ? 5 : 2;
  if (state.size() < expected || state.size() > 5 || state[0] != alchemy_state_format) {
    throw std::invalid_argument("the state of [alchemy] is of another input");
  }
  step_ = static_cast<std::int64_t>(state[1]);
  // A run that is no replica has the state of its input.
  if (states_.change) {
    now_.van_der_waals = state[2];
    now_.charges = state[3];
    now_.bonded = state[4];
  }
}

ForceTerm::Settings AlchemicalTerm::settings_of_states() const {
  return {{"state", static_cast<std::int64_t>(states_.start)},
          {"states", static_cast<std::int64_t>(states_.all.size())},
          {"van_der_waals", now_.van_der_waals},
          {"charges", now_.charges}};
}

}  // namespace sterna::md
