#include "app/run_command.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/core/unstable_run.hpp"
#include "md/input/input_text.hpp"
#include "md/input/overwritten_inputs.hpp"
#include "md/input/read_input.hpp"
#include "md/input/run_files.hpp"
#include "md/output/atomic_file.hpp"
#include "md/output/checkpoint.hpp"
#include "md/output/output_lock.hpp"
#include "md/replicas/replica_run.hpp"
#include "md/simulation/signals.hpp"
#include "md/simulation/simulation.hpp"
#include "md/start/foreign/foreign_input.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna {

namespace {

/// Returns free memory to the system, because reading the start leaves holes between small blocks.
void return_free_memory() {
#ifdef M_MMAP_THRESHOLD
  malloc_trim(0);
#endif
}

/// The stem of the files of a whole run, of which this input is a stage.
std::string stem_of_run(const md::Input& input) {
  const std::string stem = md::output_stem(input);
  return stem.substr(0, stem.size() - input.stage.name.size() - 1);
}

/// The same stages on all ranks; nothing if the input has mistakes, which rank 0 has printed. Rank
/// 0 reads the file, so that all ranks see the same text. An input of another program is passed on
/// as the text of an input of Sterna.
std::optional<std::vector<md::StageInput>> shared_stages(const comm::Context& world,
                                                         const Arguments& arguments) {
  std::string text, unreadable;
  md::ForeignInput foreign;
  const md::ForeignProgramRow* const program = md::foreign_program_of(arguments.input);
  if (world.rank() == 0) {
    md::ReadResult failure;
    if (program != nullptr) {
      foreign = program->read(arguments.input);
      text = md::input_text(foreign.given);
      if (!foreign.checked.ok()) unreadable = md::render(foreign.checked.diagnostics);
    } else if (auto found = md::input_file_text(arguments.input, failure)) {
      text = std::move(*found);
    } else {
      unreadable = md::render(failure.diagnostics);
    }
  }
  comm::broadcast(world, 0, unreadable);
  if (!unreadable.empty()) {
    if (world.rank() == 0) fmt::print(stderr, "{}", unreadable);
    return std::nullopt;
  }
  comm::broadcast(world, 0, text);
  std::vector<md::StageInput> stages = md::read_stages(
      text, arguments.input, world.rank() == 0 && program == nullptr, arguments.steps);
  std::string findings;
  if (world.rank() == 0) {
    if (program != nullptr) {
      md::ReadResult& read = stages.front().read;
      read.input.places = foreign.checked.input.places;
      // With other steps than the file's, checks may fail, and then their findings are kept.
      if (!arguments.steps || read.ok()) read.diagnostics = foreign.checked.diagnostics;
    }
    std::vector<md::Diagnostic> diagnostics;
    const bool ok = all_are_ok(stages);
    md::SystemFacts facts = md::facts_of(stages.front().read.input);
    facts.ranks = ranks_of_first_stage(stages, world.size());
    for (const md::StageInput& stage : stages) {
      diagnostics.insert(diagnostics.end(), stage.read.diagnostics.begin(),
                         stage.read.diagnostics.end());
      if (!ok) continue;
      const auto found = findings_of_stage(stages, stage, facts, true);
      diagnostics.insert(diagnostics.end(), found.begin(), found.end());
    }
    without_repetitions(diagnostics);
    fmt::print(stderr, "{}", md::render(diagnostics));
    if (md::has_errors(diagnostics)) findings = "errors";
  }
  comm::broadcast(world, 0, findings);
  if (!findings.empty()) return std::nullopt;
  return stages;
}

/// The index of the first stage to run. Throws FileError on all ranks if no stage has this name, or
/// if a stage before it has not ended.
std::size_t first_stage(const comm::Context& world, const std::vector<md::StageInput>& stages,
                        const std::string& name) {
  if (name.empty()) return 0;
  std::vector<std::string> names;
  for (const md::StageInput& stage : stages) {
    if (!stage.name.empty()) names.push_back(stage.name);
  }
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    const auto nearest =
        comm::nearest_name(name, std::vector<std::string_view>(names.begin(), names.end()));
    throw md::FileError(
        names.empty() ? fmt::format("--from {}: the input has no stages", name)
                      : fmt::format("--from {}: the input has no such stage; {}", name,
                                    nearest ? fmt::format("did you mean {}?", *nearest)
                                            : fmt::format("it has {}", comm::joined(names, ", "))));
  }
  const auto first = static_cast<std::size_t>(found - names.begin());
  md::on_first_rank(world, [&] {
    if (first == 0) return;
    const std::string before = md::checkpoint_path(md::output_stem(stages[first - 1].read.input));
    if (!md::file_exists(before)) {
      throw md::FileError(
          fmt::format("--from {}: {} is not there, with which the stage {} ends; "
                      "run that one first",
                      name, before, names[first - 1]));
    }
  });
  return first;
}

/// Moves files of later stages out of the way, because they belong to an earlier run.
void set_aside_later_stages(const comm::Context& world, const std::vector<md::StageInput>& stages,
                            std::size_t number, bool overwrite) {
  md::on_first_rank(world, [&] {
    for (std::size_t later = number + 1; later < stages.size(); ++later) {
      const std::string stem = md::output_stem(stages[later].read.input);
      overwrite ? md::remove_run_files(stem) : static_cast<void>(md::back_up_run_files(stem));
    }
  });
}

md::SimulationOptions options_of_run(const Arguments& arguments) {
  md::SimulationOptions options;
  options.only_runs_to_the_end = true;
  options.resume = arguments.resume;
  options.verbose = arguments.verbose;
  options.overwrite = arguments.overwrite;
  options.progress = arguments.progress == "always"  ? md::Progress::always
                     : arguments.progress == "never" ? md::Progress::never
                                                     : md::Progress::automatic;
  return options;
}

/// Runs the stages of an input from the one that `from` names. An input without stages is one
/// stage without a name.
Exit run_stages(const comm::Context& world, std::vector<md::StageInput>& stages,
                const std::string& from, const md::SimulationOptions& options,
                AfterRun& after_run) {
  const bool has_stages = !stages.front().name.empty();
  md::OutputLock lock;
  const std::size_t first = first_stage(world, stages, from);
  if (has_stages) {
    md::on_first_rank(world, [&] {
      const md::Input& input = stages.front().read.input;
      std::filesystem::create_directories(input.output.directory);
      lock = md::OutputLock(stem_of_run(input) + ".lock");
    });
  }
  for (std::size_t number = first; number < stages.size(); ++number) {
    md::StageInput& stage = stages[number];
    if (has_stages && world.rank() == 0) {
      fmt::print("{}stage {} ({} of {})\n", number == first ? "" : "\n", stage.name, number + 1,
                 stages.size());
    }
    if (md::has_replicas(stage.read.input)) {
      return md::run_replicas(world, stage.read.input, options) == md::Outcome::complete
                 ? success
                 : interrupted;
    }
    md::Simulation simulation(world, stage.read.input, options);
    // Checkpoints of later stages may continue from an earlier end of this stage.
    if (!simulation.was_complete()) {
      set_aside_later_stages(world, stages, number, options.overwrite);
    }
    if (!has_stages) stage.read.input = {};  // the simulation has a copy, which may be large
    return_free_memory();
    const md::Input& input = simulation.input();
    const std::string stem = std::filesystem::path(md::output_stem(input)).lexically_normal();
    for (const std::string& format : input.output.exports) {
      after_run.expect_export(stem + ".h5md", stem + md::export_file_ending(format));
    }
    if (input.output.report) after_run.expect_report(stem + ".log.jsonl");
    if (simulation.run() != md::Outcome::complete) return interrupted;
  }
  return success;
}

}  // namespace

std::vector<md::StageInput> read_any_input(const std::string& path) {
  const md::ForeignProgramRow* foreign = md::foreign_program_of(path);
  if (foreign == nullptr) return md::read_stages_of_file(path);
  std::vector<md::StageInput> stages;
  stages.push_back({"", foreign->read(path).checked});
  return stages;
}

bool all_are_ok(const std::vector<md::StageInput>& stages) {
  return std::ranges::all_of(stages, [](const md::StageInput& stage) { return stage.read.ok(); });
}

std::vector<md::Diagnostic> findings_of_stage(const std::vector<md::StageInput>& stages,
                                              const md::StageInput& stage,
                                              const md::SystemFacts& facts, bool advice) {
  const md::Input& input = stage.read.input;
  std::vector<md::Diagnostic> found;
  if (advice) found = md::physics_advice(input, facts);
  // Files written by other stages are not the user's, and the checkpoint from which this stage
  // starts does not exist yet. So the start of the first stage is checked in its place.
  md::Input own = input;
  if (&stage != &stages.front()) own.start = stages.front().read.input.start;
  if (md::has_replicas(input) && &stage != &stages.back()) {
    found.push_back(md::diagnose(
        input, md::Severity::error, "replicas",
        fmt::format("the stage {} ends with many replicas, from which the next one cannot start; "
                    "expected [stage.replicas] in the last stage",
                    stage.name)));
  }
  const auto overwritten = md::overwritten_inputs(own);
  found.insert(found.end(), overwritten.begin(), overwritten.end());
  return found;
}

int ranks_of_first_stage(const std::vector<md::StageInput>& stages, int ranks) {
  const md::Input& first = stages.front().read.input;
  if (!md::has_replicas(first)) return ranks;
  const auto replicas = static_cast<int>(md::replica_count(first));
  return (ranks + replicas - 1) / replicas;
}

void without_repetitions(std::vector<md::Diagnostic>& diagnostics) {
  std::set<std::tuple<std::string, int, int, std::string>> told;
  std::erase_if(diagnostics, [&](const md::Diagnostic& found) {
    return !told.emplace(found.file, found.line, found.column, found.message).second;
  });
}

int run_command(const comm::Context& world, const Arguments& arguments,
                const std::string& interface_at_start, AfterRun& after_run) {
  auto stages = shared_stages(world, arguments);
  if (!stages) return bad_input;
  const auto& communication = stages->front().read.input.communication;
  if (world.node_count() > 1 && communication.interface != interface_at_start) {
    throw comm::Error(fmt::format(
        "rank {} could not read {} before MPI started, so it did not keep to the interface \"{}\": "
        "put the input where all nodes see it",
        world.rank(), arguments.input, communication.interface));
  }
  world.set_timeout(comm::Seconds(communication.timeout));
  world.set_tuning({.enabled = communication.tuning, .machine_file = communication.machine_file});
  for (md::StageInput& stage : *stages) {
    stage.read.input.output.report |= arguments.report;
    if (!after_run.can_export(world, stage.read.input.output.exports)) return failure;
  }
  md::catch_signals();
  // These errors occur on all ranks together, so no rank waits for others, and rank 0 prints for
  // all.
  const auto ended = [&](const std::exception& error, Exit status) {
    if (world.rank() == 0) fmt::print(stderr, "sterna-md: {}\n", error.what());
    return status;
  };
  try {
    return run_stages(world, *stages, arguments.from, options_of_run(arguments), after_run);
  } catch (const md::FileError& error) {
    return ended(error, failure);
  } catch (const md::UnstableRun& error) {
    return ended(error, failure);
  } catch (const md::StartInterrupted& stop) {
    return ended(stop, interrupted);
  }
}

}  // namespace sterna
