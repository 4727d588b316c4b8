#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "comm/tune/round_times.hpp"

namespace sterna::comm {

/// A part of a race, after which the slow ones leave.
struct RaceStage {
  int laps;           ///< blocks of rounds that each entrant runs, the entrants taking turns
  int rounds;         ///< in a block that count
  double drop_above;  ///< who takes more than this times the best leaves
};

struct RaceRules {
  int warm_up;  ///< rounds of a new entrant that do not count: buffers grow, pages are touched
  /// The same at the start of later blocks, where the change of methods is still felt: ranks are
  /// apart by other times, caches hold other things. Of long blocks an eighth at least.
  int untimed;
  std::vector<RaceStage> stages;
  double
      keep_incumbent;  ///< the method in use before stays if it takes at most this times the best
};

/// Finds the fastest of some candidates in the live rounds of an exchange, by taking turns and
/// dropping slow ones early. Makes no communication: whose turn it is follows from the number of
/// rounds alone, so all ranks agree as long as they are given the same numbers in `decide`.
class Race {
 public:
  struct Entrant {
    std::size_t candidate;
    RoundTimes times = {};  ///< on this rank
    int rounds = 0;         ///< also those that were not timed
    double us = 0.0;        ///< agreed: the largest of the ranks' medians
  };

  /// In the order in which they run first.
  Race(std::span<const std::size_t> candidates, RaceRules rules);

  /// The candidate of the coming round, and whether its time is wanted.
  std::size_t current() const { return entrants_[turn()].candidate; }
  bool timed() const { return round_ >= untimed(lap_); }
  /// A round is done; `us` counts only where it was wanted.
  void note(double us);

  /// Now `medians`, at their largest over the ranks, go to `decide`; no round before.
  bool stage_is_over() const { return lap_ == stage().laps; }
  std::vector<double> medians() const;  ///< this rank's, by entrant
  void decide(std::span<const double> largest);

  /// Of the best so far, once a stage is over: who it is, and what its rounds take.
  std::size_t leader() const;
  double leader_us() const;
  /// By what is agreed, the time that the race has taken beyond that of as many rounds of the best,
  /// and that its next stage will.
  double lost_us() const;
  double next_loss_us() const;
  /// Rounds of the coming stage, of all entrants.
  int stage_rounds() const;

  bool over() const { return stage_ == rules_.stages.size() || entrants_.size() == 1; }
  std::span<const Entrant> entrants() const { return entrants_; }
  /// Those that left since the race began.
  std::span<const Entrant> dropped() const { return dropped_; }
  /// Of a race that is over. `incumbent`: the candidate in use before, or no candidate.
  std::size_t winner(std::size_t incumbent) const;
  /// A candidate that cannot run after all leaves.
  void remove(std::size_t candidate);

 private:
  const RaceStage& stage() const { return rules_.stages[stage_]; }
  int untimed(int lap) const {
    return stage_ == 0 && lap == 0 ? rules_.warm_up : std::max(rules_.untimed, stage().rounds / 8);
  }
  /// Rounds of the coming stage, of each entrant.
  int rounds_of_each() const;
  /// To and fro, so that none always follows the same other.
  std::size_t turn() const { return lap_ % 2 == 0 ? block_ : entrants_.size() - 1 - block_; }

  RaceRules rules_;
  std::vector<Entrant> entrants_;
  std::vector<Entrant> dropped_;
  std::size_t stage_ = 0;
  int lap_ = 0;
  std::size_t block_ = 0;  ///< of this lap
  int round_ = 0;          ///< of this block
};

}  // namespace sterna::comm
