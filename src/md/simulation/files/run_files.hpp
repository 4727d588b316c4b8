#pragma once

#include <string>
#include <utility>

#include "md/simulation/files/checkpoint_schedule.hpp"
#include "md/simulation/files/continuation.hpp"
#include "md/simulation/files/run_folder.hpp"
#include "md/simulation/files/term_files.hpp"
#include "md/simulation/files/trajectory_files.hpp"

namespace sterna::md {

/// The files that a run writes, and what it goes on from. The log is a part of `RunMessages`.
struct RunFiles {
  RunFiles(const comm::Context& context, const Input& input, std::string text_of_input,
           const SimulationOptions& options, const SimulatedSystem& system, Console& console)
      : input_text(std::move(text_of_input)),
        folder(context, input, options, console),
        continuation(context, input, options, system, folder.stem(), console) {}

  std::string input_text;  ///< as log and checkpoints keep it
  RunFolder folder;
  Continuation continuation;
  CheckpointSchedule checkpoints;
  TrajectoryFiles trajectories;
  TermFiles terms;
};

}  // namespace sterna::md
