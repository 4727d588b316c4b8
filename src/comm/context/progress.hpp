#pragma once

namespace sterna::comm {

/// Something that other ranks wait for and that goes on only while this process lets it: the worker
/// of UCX, the next step of a barrier. As long as it lives, every wait of this process helps it.
class ProgressHelper {
 public:
  ProgressHelper();
  virtual ~ProgressHelper();
  ProgressHelper(const ProgressHelper&) = delete;
  ProgressHelper& operator=(const ProgressHelper&) = delete;
  virtual void help() = 0;
};

/// Calls all helpers of this process, in the order of making.
void call_progress_helpers();

}  // namespace sterna::comm
