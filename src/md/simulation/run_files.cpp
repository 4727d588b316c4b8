// Which files belong to a run: what it goes on from, what it must not overwrite, what it has
// written.

#include "md/output/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/core/json.hpp"
#include "md/input/overwritten_inputs.hpp"
#include "md/input/physics_advice.hpp"
#include "md/input/trajectory_section.hpp"
#include "md/output/atomic_file.hpp"
#include "md/output/checkpoint.hpp"
#include "md/simulation/simulation_implementation.hpp"
#include "md/simulation/start_loader.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/joined.hpp"

namespace sterna::md {

void Simulation::Implementation::take_output_directory() {
  on_first_rank(context_, [&] {
    const auto errors = overwritten_inputs(input_, options_.checkpoint);
    if (!errors.empty()) throw FileError(render(errors));
    std::filesystem::create_directories(input_.output.directory);
    lock_ = OutputLock(stem_ + ".lock");
  });
  if (!lock_.why_missing().empty()) {
    console_.line(fmt::format(
        "warning: {} has no locks ({}): nothing keeps another run from writing the same files",
        input_.output.directory, lock_.why_missing()));
  }
}

std::string Simulation::Implementation::find_checkpoint() {
  const auto measured = start_times_.measure(StartTimes::reading);
  const FoundCheckpoint found = find_latest_checkpoint(context_, stem_);
  stop_start_if_asked(context_);  // a large one took long to check
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
  return found.path;
}

std::string Simulation::Implementation::checkpoint_to_extend(const std::string& latest) {
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

void Simulation::Implementation::compare_with_checkpoint(const Json& state, std::int64_t particles,
                                                         const Box& box) {
  std::string told;
  on_first_rank(context_, [&] {
    InputChanges changes;
    if (const auto record = state.find("input"); record != state.end()) {
      changes = compare_inputs(*record, input_record_, input_.units);
    } else {
      // Written before checkpoints kept their input.
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

void Simulation::Implementation::require_usable_files() {
  const auto refuse_where = [this](std::string_view ending, const std::string& place) {
    const std::string path = stem_ + std::string(ending);
    if (!changes_.places.contains(place) || !file_exists(path)) return;
    const auto line = std::ranges::find_if(changes_.settings, [&](const std::string& change) {
      return change.starts_with(place + ":");
    });
    throw FileError(fmt::format(
        "{}: all frames of a file are alike, so the run cannot go on with this one, and nothing "
        "was changed:\n  {}\nput the setting back, or move the file away",
        path, *line));
  };
  on_first_rank(context_, [&] {
    for (const char* ending : {".log.jsonl", ".bib"}) require_own_file(stem_ + ending);
    if (input_.output.trajectory_interval > 0) {
      require_own_file(stem_ + ".h5md");
      refuse_where(".h5md", "output.trajectory_rounding");
    }
    if (input_.output.xtc_interval > 0) {
      require_own_file(stem_ + ".xtc");
      refuse_where(".xtc", "output.xtc_rounding");
    }
    for (std::size_t n = 0; n < trajectory_sections().size(); ++n) {
      const TrajectorySection& section = trajectory_sections()[n];
      if (section.interval(input_) == 0) continue;
      const std::string& ending = trajectory_file_endings()[n];
      require_own_file(stem_ + ending);
      for (const KeySchema& key : section.keys) {
        if (key.name == "interval" && !section.has_one_interval) continue;
        refuse_where(ending, fmt::format("{}.{}", section.schema.name, key.name));
      }
      if (section.groups(input_).empty()) continue;
      for (const std::string& place : changes_.places) {
        if (place.starts_with("group[")) refuse_where(ending, place);
      }
    }
  });
}

bool Simulation::Implementation::is_finished(const Json& state) const {
  if (clock_.step >= input_.run.steps) return true;
  const auto converged = state.find("converged");
  return input_.minimizes() && converged != state.end() &&
         input_.minimize.force_tolerance >= exact_value(*converged);
}

void Simulation::Implementation::clear_for_new_run() {
  int backup = 0;
  on_first_rank(context_, [&] {
    if (options_.overwrite) {
      remove_run_files(stem_);
    } else {
      backup = back_up_run_files(stem_);
    }
  });
  if (backup > 0) {
    const auto name = std::filesystem::path(stem_).filename().string();
    console_.line(fmt::format(
        "kept files of an earlier run as {}",
        (std::filesystem::path(stem_).parent_path() / fmt::format("#{}.*.{}#", name, backup))
            .lexically_normal()
            .string()));
  }
}

std::vector<std::string> Simulation::Implementation::export_paths() const {
  std::vector<std::string> paths;
  if (!options_.files) return paths;
  for (const std::string& format : input_.output.exports) {
    const std::filesystem::path path(stem_ + export_file_ending(format));
    paths.push_back(path.lexically_normal().string());
  }
  return paths;
}

void Simulation::Implementation::report_files() {
  if (context_.rank() != 0) return;
  console_.line("\nfiles of this run:");
  for (const std::string& file : present_run_files(stem_)) {
    if (file.ends_with(".previous")) continue;
    console_.line("  " + std::filesystem::path(file).lexically_normal().string());
  }
}

}  // namespace sterna::md
