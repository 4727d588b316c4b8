#include "md/simulation/files/continuation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/input/physics_advice.hpp"
#include "md/output/atomic_file.hpp"
#include "md/output/checkpoint.hpp"
#include "md/simulation/starting/start_loader.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/joined.hpp"

namespace sterna::md {
namespace {

/// Whether a temperature moves until the last step of the run, wherever that is.
bool heats_until_the_end(const Input& input) {
  return std::ranges::any_of(input.thermostats, [](const Input::Thermostat& thermostat) {
    return thermostat.end_temperature.has_value() && thermostat.stop_step == 0;
  });
}

}  // namespace

Continuation::Continuation(const comm::Context& context, const Input& input,
                           const SimulationOptions& options, const SimulatedSystem& system,
                           const std::string& stem, Console& console)
    : context_(context),
      input_(input),
      options_(options),
      system_(system),
      stem_(stem),
      console_(console) {
  on_first_rank(context_, [&] { record_ = sterna::md::input_record(input_); });
}

std::string Continuation::find_checkpoint() {
  const FoundCheckpoint found = find_latest_checkpoint(context_, stem_);
  stop_start_if_asked(context_);  // checking a large checkpoint takes long
  if (found.would_lose_run) {
    throw FileError(fmt::format(
        "{}: there are checkpoints that cannot be read, so nothing was changed:\n  {}\n{}\"sterna "
        "run\" without --resume starts anew and keeps them as backups, with --overwrite it removes "
        "them",
        stem_, comm::joined(found.refused, "\n  "),
        found.path.empty() ? ""
                           : fmt::format("to go on from {} (step {}), move the newer one "
                                         "away; ",
                                         found.path, found.step)));
  }
  for (const std::string& refused : found.refused) console_.line("not taken: " + refused);
  if (found.path.empty()) console_.line("no checkpoint of " + stem_ + ": starting anew");
  // If a program looks at the simulation between its runs, it must find the state at the last end,
  // so only runs without such looks continue from before the end.
  const bool extends = options_.only_runs_to_the_end && found.path == checkpoint_path(stem_);
  return extends ? checkpoint_to_extend(found.path) : found.path;
}

std::string Continuation::checkpoint_to_extend(const std::string& latest) {
  const CheckpointReader reader(context_, latest);
  reader.require_types(system_.interaction.names());
  const CheckpointState& state = reader.state();
  const auto from = state.state.find("extended_from");
  if (from == state.state.end() || input_.run.steps <= state.step) return latest;
  compare_with_checkpoint(state.state, state.particles, state.box);
  if (changes_.other_state || !reader.has_block_per_rank()) return latest;
  const std::string earlier = checkpoint_path(stem_) + ".previous";
  try {
    const CheckpointReader found(context_, earlier);
    if (found.state().step == from->get<std::int64_t>() && found.has_block_per_rank()) {
      found.verify();
      repeats_end_ = true;
      console_.line(fmt::format(
          "the run ended at step {}, where its lists were not rebuilt: it goes on from step {}, so "
          "that no bit depends on its end",
          state.step, found.state().step));
      return earlier;
    }
  } catch (const FileError& error) {
    console_.line(fmt::format("not taken: {}", error.what()));
  }
  console_.line(fmt::format(
      "the run ended at step {}, where its lists were not rebuilt: what follows has not the bits "
      "of an uninterrupted run",
      state.step));
  return latest;
}

void Continuation::compare_with_checkpoint(const Json& state, std::int64_t particles,
                                           const Box& box) {
  std::string told;
  on_first_rank(context_, [&] {
    InputChanges changes;
    if (const auto record = state.find("input"); record != state.end()) {
      changes = compare_inputs(*record, record_, input_.units);
    } else {
      // The checkpoint was written by a version that did not keep the input in it.
      const SystemFacts facts = facts_of(input_);
      if (facts.particles && *facts.particles != particles) {
        changes.system.push_back(
            fmt::format("particles: {} in the checkpoint, now {}", particles, *facts.particles));
      }
      for (int axis = 0; facts.box && !input_.barostat.is_used() && axis < 3; ++axis) {
        const double before = box.length[axis], now = facts.box->length[axis];
        if (std::fabs(before - now) <= 1e-9 * now) continue;
        changes.system.push_back(
            fmt::format("edge of the box along {}: {} in the checkpoint, now {}", "xyz"[axis],
                        input_.units.text(before, Dimension::length),
                        input_.units.text(now, Dimension::length)));
      }
    }
    if (!changes.system.empty()) {
      throw FileError(fmt::format(
          "{}: the input describes another system than the checkpoint, so nothing was changed:\n"
          "  {}\na run goes on from its checkpoint only: put these back, or start anew without "
          "--resume",
          checkpoint_path(stem_), comm::joined(changes.system, "\n  ")));
    }
    if (changes.places.contains("run.steps") && heats_until_the_end(input_)) {
      changes.other_state = true;
      changes.settings.push_back(
          fmt::format("end_temperature: reached at step {} now, so the temperature to keep is "
                      "another one from here on; \"stop_step\" in [thermostat] would have kept it",
                      input_.run.steps));
    }
    told = json_text(Json{{"settings", changes.settings},
                          {"sections", changes.sections},
                          {"places", changes.places},
                          {"other_state", changes.other_state},
                          {"timestep", changes.timestep}});
  });
  comm::broadcast(context_, 0, told);
  const auto changes = parse_json(told);
  changes_ = {};
  changes_.settings = changes["settings"].get<std::vector<std::string>>();
  for (const auto& section : changes["sections"]) {
    changes_.sections.insert(section.get<std::string>());
  }
  for (const auto& place : changes["places"]) changes_.places.insert(place.get<std::string>());
  changes_.other_state = changes["other_state"].get<bool>();
  changes_.timestep = changes["timestep"].get<bool>();
}

void Continuation::compare_with(const Continuation& previous, bool other_box) {
  std::string told;
  on_first_rank(context_, [&] {
    const InputChanges changes = compare_inputs(previous.record_, record_, input_.units);
    // The particles exist already, so a changed [start] does not matter.
    told = json_text(
        Json{{"sections", changes.sections}, {"other_state", changes.other_state || other_box}});
  });
  comm::broadcast(context_, 0, told);
  const Json changes = parse_json(told);
  changes_.sections = changes["sections"].get<std::set<std::string, std::less<>>>();
  changes_.other_state = changes["other_state"].get<bool>();
}

void Continuation::drop_end_of_shorter_run() const {
  if (!repeats_end_) return;
  // Files written from here on continue this checkpoint, and no longer the one at the end.
  on_first_rank(context_, [&] {
    const std::string path = checkpoint_path(stem_);
    rename_file(path + ".previous", path);
    sync_directory_of(path);
  });
}

bool Continuation::is_finished(const Json& state, std::int64_t step) const {
  if (step >= input_.run.steps) return true;
  const auto converged = state.find("converged");
  return input_.minimizes() && converged != state.end() &&
         input_.minimize.force_tolerance >= exact_value(*converged);
}

}  // namespace sterna::md
