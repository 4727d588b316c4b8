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

/// The state from which a run continues: which checkpoint, and which parts of the input have
/// changed since. All arguments must outlive this object. Functions are collective unless they say
/// "Local".
class Continuation {
 public:
  Continuation(const comm::Context& context, const Input& input, const SimulationOptions& options,
               const SimulatedSystem& system, const std::string& stem, Console& console);

  /// The checkpoint of this run to continue from; empty: a new start. Throws FileError if there are
  /// checkpoints that cannot be read.
  std::string find_checkpoint();
  /// Compares the input with the input of a checkpoint of so many particles in this box. Throws
  /// FileError if they describe different systems.
  void compare_with_checkpoint(const Json& state, std::int64_t particles, const Box& box);
  /// Compares the input with the input of another simulation, whose particles are taken over.
  /// `other_box`: whether the particles are stretched to another box.
  void compare_with(const Continuation& previous, bool other_box);
  /// If `find_checkpoint` chose the checkpoint before the end of a shorter run, the checkpoint at
  /// that end is removed.
  void drop_end_of_shorter_run() const;

  // Local:
  /// Whether a checkpoint with this state at this step leaves no steps to do.
  bool is_finished(const Json& state, std::int64_t step) const;
  /// Changes of the input since the checkpoint from which the run continues.
  const InputChanges& changes() const { return changes_; }
  /// The input in the form that checkpoints keep; only on rank 0.
  const Json& input_record() const { return record_; }

 private:
  /// The checkpoint from which a longer run continues: the last one of the shorter run, or the one
  /// before it.
  std::string checkpoint_to_extend(const std::string& latest);

  const comm::Context& context_;
  const Input& input_;
  const SimulationOptions& options_;
  const SimulatedSystem& system_;
  const std::string& stem_;
  Console& console_;
  Json record_;
  InputChanges changes_;
  bool repeats_end_ = false;  ///< the run continues from before a shorter run's end
};

}  // namespace sterna::md
