#pragma once

namespace sterna::comm {

/// A task that other ranks wait for and that advances only if this process lets it: the worker of
/// UCX, the next step of a barrier. While the object lives, every wait of this process advances it.
class ProgressHelper {
 public:
  ProgressHelper();
  virtual ~ProgressHelper();
  ProgressHelper(const ProgressHelper&) = delete;
  ProgressHelper& operator=(const ProgressHelper&) = delete;
  virtual void help() = 0;
};

/// Calls all helpers of this process, in the order in which they were made.
void call_progress_helpers();

}  // namespace sterna::comm
