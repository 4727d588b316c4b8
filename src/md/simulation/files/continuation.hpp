#pragma once

#include <cstdint>
#include <string>

#include "md/core/box.hpp"
#include "md/core/json.hpp"
#include "md/input/input.hpp"
#include "md/input/input_record.hpp"
#include "md/simulation/files/console.hpp"
#include "md/simulation/simulated_system.hpp"
#include "md/simulation/simulation.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// What a run goes on from: which checkpoint, and what has changed in the input since. All that is
/// given must outlive this. Functions are collective unless they say "Local".
class Continuation {
 public:
  Continuation(const comm::Context& context, const Input& input, const SimulationOptions& options,
               const SimulatedSystem& system, const std::string& stem, Console& console);

  /// The checkpoint of this run to go on from; empty: a new start. FileError where there are some
  /// that cannot be read.
  std::string find_checkpoint();
  /// Compares the input with that of a checkpoint of so many particles in this box. FileError where
  /// they describe different systems.
  void compare_with_checkpoint(const Json& state, std::int64_t particles, const Box& box);
  /// Compares the input with that of another simulation, whose particles are taken. `other_box`:
  /// they are stretched to another box.
  void compare_with(const Continuation& previous, bool other_box);
  /// The checkpoint before the end of a shorter run is the only one that counts, if
  /// `find_checkpoint` chose it.
  void drop_end_of_shorter_run() const;

  // Local:
  /// Whether a checkpoint of this state at this step leaves nothing to do.
  bool is_finished(const Json& state, std::int64_t step) const;
  /// Since the checkpoint that the run goes on from.
  const InputChanges& changes() const { return changes_; }
  /// The input as checkpoints keep it; rank 0.
  const Json& input_record() const { return record_; }

 private:
  /// Where a longer run goes on from: the last checkpoint of the shorter one, or the one before it.
  std::string checkpoint_to_extend(const std::string& latest);

  const comm::Context& context_;
  const Input& input_;
  const SimulationOptions& options_;
  const SimulatedSystem& system_;
  const std::string& stem_;
  Console& console_;
  Json record_;
  InputChanges changes_;
  bool repeats_end_ = false;  ///< whether it goes on from before the end of a shorter run
};

}  // namespace sterna::md
