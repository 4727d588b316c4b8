#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "md/core/json.hpp"
#include "md/ensemble/exchange.hpp"
#include "md/ensemble/state_weights.hpp"
#include "md/input/input.hpp"
#include "md/output/output_lock.hpp"
#include "md/replicas/growing_file.hpp"
#include "md/replicas/replica_group.hpp"
#include "md/replicas/state_files.hpp"
#include "md/simulation/files/console.hpp"
#include "md/simulation/simulation.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// What a run with replicas keeps for all of them: which state each has, what exchanges there were,
/// the files about them, and which checkpoints belong together. Rank 0 has the files. Functions are
/// collective unless they say "Local", and throw FileError on all ranks.
class ReplicaRecord {
 public:
  /// Continues from the last set of checkpoints, if `options` ask for it and there is one. The
  /// arguments must outlive this object.
  ReplicaRecord(const comm::Context& world, const Input& input, const SimulationOptions& options,
                Console& console);

  // Local:
  std::size_t count() const { return state_of_.size(); }
  ReplicaPlace place() const;
  bool is_complete() const { return step_ >= input_.run.steps; }
  std::int64_t step() const { return step_; }
  std::int64_t checkpoint_step() const { return checkpoint_step_; }
  void went_to(std::int64_t step) { step_ = step; }
  int next_turn() const { return turn_ == 0 ? 1 : 0; }

  /// Opens the files, after the replicas have been made.
  void open();
  /// Writes the reduced energies of each replica to the file of its state.
  void write_energies(const MeetingData& met, double time);
  /// Exchanges states. Returns those of all replicas. `waited`: seconds for which this rank waited
  /// for others.
  const std::vector<std::size_t>& exchange(const Exchanger& exchanger, const MeetingData& met,
                                           double waited);
  /// From now on a resumed run continues from the checkpoints of this turn.
  void commit(int turn);
  /// Reports on exchanges.
  void finish();

 private:
  void find_set();
  void take(const Json& set);
  void clear_for_new_run();
  Json states_as_text() const;
  Json set() const;
  /// Draws the state of each walker of an expanded ensemble.
  void jump(const ReducedEnergies& energies);
  // What is printed at the end of a run.
  void report_weights() const;
  void report_pairs() const;
  void report_mixing() const;
  void report_files() const;
  /// The last line of the log, without warnings.
  Json last_line(double longest_wait) const;
  /// What is wrong with the exchanges, a sentence each.
  std::vector<std::string> complaints() const;
  std::string state_text(std::size_t state) const;
  void log(const Json& line);

  const comm::Context& world_;
  const Input& input_;
  const SimulationOptions& options_;
  Console& console_;
  std::string stem_;
  OutputLock lock_;
  std::int64_t step_ = 0, checkpoint_step_ = 0;
  int turn_ = -1;       ///< of the last checkpoints; -1: there are none
  std::size_t states_;  ///< how many
  std::vector<std::size_t> state_of_;
  std::optional<StateWeights> weights_;  ///< of an expanded ensemble
  bool is_alchemical_;                   ///< see `states_are_alchemical`
  ExchangeStatistics statistics_;
  double waited_ = 0.0;
  Json sizes_;  ///< of the files when the set was written
  std::unique_ptr<GrowingFile> log_;
  StateFiles energies_;
};

}  // namespace sterna::md
