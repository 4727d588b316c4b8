// The state of a run besides its particles: how it is written to a checkpoint and restored.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "md/core/agreement.hpp"
#include "md/core/checksum.hpp"
#include "md/core/json.hpp"
#include "md/input/atom_groups.hpp"
#include "md/output/checkpoint.hpp"
#include "md/simulation/observers.hpp"
#include "md/simulation/simulation_implementation.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/version.hpp"

namespace sterna::md {

Json Simulation::Implementation::saved_terms() const {
  Json kept;
  for (const ForceTerm* term : std::as_const(*engine_).terms()) {
    const std::vector<double> state = term->state();
    if (state.empty()) continue;
    constexpr std::size_t many = 1000;
    kept[std::string(term->name())] =
        state.size() < many ? exact_array(state) : packed_array(state);
  }
  return kept;
}

Json Simulation::Implementation::saved_modifiers() const {
  Json kept;
  for (const auto& modifier : dynamics_.modifiers()) {
    double exchanged = modifier->exchanged_energy();
    comm::ReductionBatch(context_, "exchanged energy").sum(exchanged).run();
    Json one = {{"exchanged_energy", exact_text(exchanged)}};
    if (!modifier->state().empty()) one["state"] = exact_array(modifier->state());
    kept.push_back(one);
  }
  return kept;
}

void Simulation::Implementation::restore_modifiers(const Json& saved) {
  if (saved.size() != dynamics_.modifiers().size()) return;
  for (std::size_t k = 0; k < dynamics_.modifiers().size(); ++k) {
    StepModifier& modifier = *dynamics_.modifiers()[k];
    modifier.set_exchanged_energy(exact_value(saved[k]["exchanged_energy"]));
    const auto state = saved[k].find("state");
    // The state of another kind of thermostat is useless, and is dropped.
    if (state != saved[k].end() && state->size() == modifier.state().size()) {
      modifier.set_state(exact_values(*state));
    }
  }
}

void Simulation::Implementation::restore_barostat(const std::vector<double>& state) {
  // The state of another kind of barostat is useless, and is dropped.
  Barostat& barostat = *box_control_.barostat();
  if (state.size() == barostat.state().size()) barostat.set_state(state);
}

void Simulation::Implementation::restore_averages(const Json& saved) {
  if (!saved.is_array() || files_.continuation.changes().other_state) return;
  sampling_.averages->set_state(exact_values(saved));
}

void Simulation::Implementation::restore_observers(const Json& saved) {
  const InputChanges& changes = files_.continuation.changes();
  if (changes.other_state) return;
  Json unchanged = saved;
  for (const std::string& section : changes.sections) unchanged.erase(section);
  if (changes.sections.contains("group")) {
    for (const auto& observer : sampling_.observers) {
      if (names_groups(input_, observer->name())) unchanged.erase(observer->name());
    }
  }
  for (const std::string& name :
       sterna::md::restore_observers(sampling_.observers, context_, unchanged, start_.rank_data)) {
    messages_.console.line(fmt::format("[{}] begins anew at step {}", name, clock_.step));
  }
}

// It is long because it has an entry for each part of a run.
std::vector<Simulation::Implementation::StatePart> Simulation::Implementation::state_parts() {
  std::vector<StatePart> parts;
  const auto add = [&](std::string key, auto save, auto restore) {
    parts.push_back({std::move(key), save, restore});
  };
  // Terms and lists need their state before their first use, so `restore_terms` and `make_balancer`
  // have given it to them.
  const auto was_restored = [](const Json&) {};
  add(
      "terms", [this] { return saved_terms(); }, was_restored);
  add(
      "term_files", [this] { return files_.terms.state(); },
      [this](const Json& saved) { files_.terms.restore(saved); });
  add(
      "program_terms", [this] { return program_.terms.empty() ? Json() : Json(program_.terms); },
      [this](const Json& saved) { saved.get_to(program_.terms_of_file); });
  add(
      "thermostats", [this] { return saved_modifiers(); },
      [this](const Json& saved) { restore_modifiers(saved); });
  if (box_control_.is_used()) {
    add(
        "barostat", [this] { return exact_array(box_control_.barostat()->state()); },
        [this](const Json& saved) { restore_barostat(exact_values(saved)); });
    // Checkpoints of versions up to 0.1 keep the state of stochastic cell rescaling under this
    // name.
    add(
        "volume_work", [] { return Json(); },
        [this](const Json& saved) { restore_barostat({exact_value(saved)}); });
  }
  if (dynamics_.minimizes()) {
    add(
        "minimizer", [this] { return exact_array(dynamics_.minimizer()->state()); },
        [this](const Json& saved) { dynamics_.minimizer()->set_state(exact_values(saved)); });
  }
  add(
      "list_buffer", [this] { return lists_.state(); }, was_restored);
  add(
      "pace",
      [this] {
        return exact_array(std::array{engine_->pace().step, engine_->pace().growth});
      },
      [this](const Json& saved) {
        engine_->set_pace({exact_value(saved[0]), exact_value(saved[1])});
      });
  add(
      "state", [this] { return saved_state(); },
      [this](const Json& saved) { restore_state(saved); });
  if (reservoirs_) {
    add(
        "reservoirs", [this] { return reservoirs_->state(); },
        [this](const Json& saved) {
          reservoirs_->set_state(saved);
          thermodynamics_.give(reservoirs_->given());
        });
  }
  if (sampling_.averages) {
    add(
        "averages", [this] { return exact_array(sampling_.averages->state()); },
        [this](const Json& saved) { restore_averages(saved); });
  }
  add(
      "observers",
      [this] {
        return sampling_.observers.empty() ? Json() : state_of_observers(sampling_.observers);
      },
      [this](const Json& saved) { restore_observers(saved); });
  return parts;
}

void Simulation::Implementation::restore_parts(const Json& state, std::vector<RankData> rank_data) {
  start_.rank_data = std::move(rank_data);
  for (const StatePart& part : state_parts()) {
    const auto kept = state.find(part.key);
    if (kept != state.end()) part.restore(*kept);
  }
  start_.rank_data = {};
}

void Simulation::Implementation::restore_terms() {
  for (ForceTerm* term : engine_->terms()) {
    const auto kept = start_.state_of_terms.find(std::string(term->name()));
    if (kept != start_.state_of_terms.end()) term->restore(exact_values(*kept));
  }
}

CheckpointState Simulation::Implementation::checkpoint_state() {
  CheckpointState state;
  state.step = clock_.step;
  state.time = clock_.time();
  state.box = system_.box;
  if (const RegularGrid* grid = balancer_->grid()) state.grid = grid->grid();
  state.types = system_.interaction.names();
  state.input_hash =
      xxh64(std::as_bytes(std::span(files_.input_text.data(), files_.input_text.size())));
  state.program = fmt::format("sterna {}", version);
  state.state = Json::object();
  state.state["input"] = files_.continuation.input_record();
  if (clock_.offset != 0.0) state.state["time_offset"] = exact_text(clock_.offset);
  if (files_.checkpoints.writes_at_end() && clock_.step == clock_.last_step &&
      files_.checkpoints.latest() >= 0 &&
      clock_.step - files_.checkpoints.latest() <= lists_.longest()) {
    state.state["extended_from"] = files_.checkpoints.latest();
  }
  if (dynamics_.has_converged())
    state.state["converged"] = exact_text(input_.minimize.force_tolerance);
  if (balancer_->grid() == nullptr) state.state["regions"] = balancer_->state();
  for (const StatePart& part : state_parts()) {
    Json kept = part.save();
    if (!kept.is_null()) state.state[part.key] = std::move(kept);
  }
  return state;
}

void Simulation::Implementation::sync_files() {
  messages_.log->sync();
  files_.trajectories.sync();
  files_.terms.sync(context_);
}

void Simulation::Implementation::write_checkpoint() {
  const auto measured = loop_.timer.measure(Phase::checkpoint);
  dynamics_.complete_velocities();
  // The log and the trajectories must be on the disk before the checkpoint that continues them.
  sync_files();
  const CheckpointReport report = sterna::md::write_checkpoint(
      context_, files_.folder.stem(), checkpoint_state(), system_.particles,
      rank_data_of_observers(sampling_.observers), &system_.fields);
  files_.checkpoints.was_written(clock_);
  messages_.log->checkpoint(clock_.step, checkpoint_path(files_.folder.stem()), report.bytes,
                            report.seconds);
}

void Simulation::Implementation::save(const std::string& path) {
  // A restart begins with rebuilt lists. Rebuilding here, too, gives this run the same bits.
  begin();
  if (loop_.renewed_step != clock_.step || program_.has_changed) {
    EnergyAndVirial sums;
    renew(sums);
  }
  if (options_.files) sync_files();
  write_checkpoint_file(context_, path, checkpoint_state(), system_.particles,
                        rank_data_of_observers(sampling_.observers), &system_.fields);
}

}  // namespace sterna::md
