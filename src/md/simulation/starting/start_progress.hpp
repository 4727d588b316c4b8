#pragma once

#include <vector>

#include "md/core/json.hpp"
#include "md/output/checkpoint_file.hpp"
#include "md/simulation/starting/start_times.hpp"

namespace sterna::md {

/// What a start needs from its beginning to the first step, and how it began.
struct StartProgress {
  StartTimes times;
  bool draws_velocities = false;    ///< velocities are still to be drawn
  bool resumes = false;             ///< continues a checkpoint and files of this run
  bool was_complete = false;        ///< the checkpoint left no steps to do
  Json state_of_terms;              ///< from the checkpoint that the run continues
  std::vector<RankData> rank_data;  ///< only while parts are restored
};

}  // namespace sterna::md
