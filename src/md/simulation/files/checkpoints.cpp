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

std::vector<Simulation::Implementation::StatePart> Simulation::Implementation::state_parts() {
  std::vector<StatePart> parts;
  parts.push_back({"terms",
                   [this] {
                     Json kept;
                     for (const ForceTerm* term : std::as_const(*engine_).terms()) {
                       const std::vector<double> state = term->state();
                       if (state.empty()) continue;
                       constexpr std::size_t many = 1000;
                       kept[std::string(term->name())] =
                           state.size() < many ? exact_array(state) : packed_array(state);
                     }
                     return kept;
                   },
                   // Terms need their state before their first use, so `restore_terms` has given it
                   // to them.
                   [](const Json&) {}});
  parts.push_back({"term_files", [this] { return term_files_.state(); },
                   [this](const Json& kept) { term_files_.restore(kept); }});
  parts.push_back(
      {"program_terms",
       [this]() -> Json {
         if (program_terms_.empty()) return nullptr;
         return program_terms_;
       },
       [this](const Json& kept) { program_terms_of_file_ = kept.get<std::set<std::string>>(); }});
  parts.push_back({"thermostats",
                   [this] {
                     Json kept;
                     for (const auto& modifier : dynamics_.modifiers()) {
                       double exchanged = modifier->exchanged_energy();
                       comm::ReductionBatch(context_, "exchanged energy").sum(exchanged).run();
                       Json one = {{"exchanged_energy", exact_text(exchanged)}};
                       if (!modifier->state().empty())
                         one["state"] = exact_array(modifier->state());
                       kept.push_back(one);
                     }
                     return kept;
                   },
                   [this](const Json& kept) {
                     if (kept.size() != dynamics_.modifiers().size()) return;
                     for (std::size_t k = 0; k < dynamics_.modifiers().size(); ++k) {
                       dynamics_.modifiers()[k]->set_exchanged_energy(
                           exact_value(kept[k]["exchanged_energy"]));
                       const auto state = kept[k].find("state");
                       // The state of another kind of thermostat is useless, and is dropped.
                       if (state != kept[k].end() &&
                           state->size() == dynamics_.modifiers()[k]->state().size()) {
                         dynamics_.modifiers()[k]->set_state(exact_values(*state));
                       }
                     }
                   }});
  if (box_control_.is_used()) {
    const auto restore = [this](const std::vector<double>& state) {
      // The state of another kind of barostat is useless, and is dropped.
      if (state.size() == box_control_.barostat()->state().size())
        box_control_.barostat()->set_state(state);
    };
    parts.push_back({"barostat", [this] { return exact_array(box_control_.barostat()->state()); },
                     [restore](const Json& kept) { restore(exact_values(kept)); }});
    // Checkpoints of versions up to 0.1 keep the state of stochastic cell rescaling under this
    // name.
    parts.push_back({"volume_work", []() -> Json { return nullptr; },
                     [restore](const Json& kept) { restore({exact_value(kept)}); }});
  }
  if (dynamics_.minimizes()) {
    parts.push_back(
        {"minimizer", [this] { return exact_array(dynamics_.minimizer()->state()); },
         [this](const Json& kept) { dynamics_.minimizer()->set_state(exact_values(kept)); }});
  }
  // Lists need their state before their first use, so `make_balancer` has given it to them.
  parts.push_back({"list_buffer", [this] { return lists_.state(); }, [](const Json&) {}});
  parts.push_back({"pace",
                   [this] {
                     const RebuildDecision::Pace pace = engine_->pace();
                     return exact_array(std::array{pace.step, pace.growth});
                   },
                   [this](const Json& kept) {
                     engine_->set_pace({exact_value(kept[0]), exact_value(kept[1])});
                   }});
  parts.push_back({"state", [this] { return saved_state(); },
                   [this](const Json& saved) { restore_state(saved); }});
  if (averages_) {
    parts.push_back({"averages", [this] { return exact_array(averages_->state()); },
                     [this](const Json& kept) {
                       if (kept.is_array() && !continuation_.changes().other_state) {
                         averages_->set_state(exact_values(kept));
                       }
                     }});
  }
  parts.push_back({"observers",
                   [this]() -> Json {
                     if (observers_.empty()) return nullptr;
                     return state_of_observers(observers_);
                   },
                   [this](const Json& kept) {
                     if (continuation_.changes().other_state) return;
                     Json unchanged = kept;
                     for (const std::string& section : continuation_.changes().sections)
                       unchanged.erase(section);
                     if (continuation_.changes().sections.contains("group")) {
                       for (const auto& observer : observers_) {
                         if (names_groups(input_, observer->name())) {
                           unchanged.erase(observer->name());
                         }
                       }
                     }
                     for (const std::string& name :
                          restore_observers(observers_, context_, unchanged, restored_rank_data_)) {
                       console_.line(fmt::format("[{}] begins anew at step {}", name, clock_.step));
                     }
                   }});
  return parts;
}

void Simulation::Implementation::restore_parts(const Json& state, std::vector<RankData> rank_data) {
  restored_rank_data_ = std::move(rank_data);
  for (const StatePart& part : state_parts()) {
    const auto kept = state.find(part.key);
    if (kept != state.end()) part.restore(*kept);
  }
  restored_rank_data_ = {};
}

void Simulation::Implementation::restore_terms() {
  for (ForceTerm* term : engine_->terms()) {
    const auto kept = state_of_terms_.find(std::string(term->name()));
    if (kept != state_of_terms_.end()) term->restore(exact_values(*kept));
  }
}

void Simulation::Implementation::require_program_terms() const {
  std::vector<std::string> missing;
  std::ranges::set_difference(program_terms_of_file_, program_terms_, std::back_inserter(missing));
  if (missing.empty()) return;
  throw FileError(
      fmt::format("the checkpoint is of a simulation with force terms of a program, which it does "
                  "not hold: add them again before the run goes on: {}",
                  comm::joined(missing, ", ")));
}

CheckpointState Simulation::Implementation::checkpoint_state() {
  CheckpointState state;
  state.step = clock_.step;
  state.time = clock_.time();
  state.box = system_.box;
  if (const RegularGrid* grid = balancer_->grid()) state.grid = grid->grid();
  state.types = system_.interaction.names();
  state.input_hash = xxh64(std::as_bytes(std::span(input_text_.data(), input_text_.size())));
  state.program = fmt::format("sterna {}", version);
  state.state = Json::object();
  state.state["input"] = continuation_.input_record();
  if (clock_.offset != 0.0) state.state["time_offset"] = exact_text(clock_.offset);
  if (checkpoints_.writes_at_end() && clock_.step == clock_.last_step &&
      checkpoints_.latest() >= 0 && clock_.step - checkpoints_.latest() <= lists_.longest()) {
    state.state["extended_from"] = checkpoints_.latest();
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

void Simulation::Implementation::write_checkpoint() {
  const auto measured = timer_.measure(Phase::checkpoint);
  dynamics_.complete_velocities();
  // The log and the trajectories must be on the disk before the checkpoint that continues them.
  log_->sync();
  trajectories_.sync();
  term_files_.sync(context_);
  const CheckpointReport report =
      sterna::md::write_checkpoint(context_, folder_.stem(), checkpoint_state(), system_.particles,
                                   rank_data_of_observers(observers_), &system_.fields);
  checkpoints_.was_written(clock_);
  log_->checkpoint(clock_.step, checkpoint_path(folder_.stem()), report.bytes, report.seconds);
}

void Simulation::Implementation::save(const std::string& path) {
  // A restart begins with rebuilt lists. Rebuilding here, too, gives this run the same bits.
  begin();
  if (renewed_step_ != clock_.step || changed_) {
    EnergyAndVirial sums;
    renew(sums);
  }
  if (options_.files) {
    log_->sync();
    trajectories_.sync();
    term_files_.sync(context_);
  }
  write_checkpoint_file(context_, path, checkpoint_state(), system_.particles,
                        rank_data_of_observers(observers_), &system_.fields);
}

}  // namespace sterna::md
