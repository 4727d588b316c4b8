#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "comm/tune/round_times.hpp"

namespace sterna::comm {

/// A stage of a race, after which slow methods leave.
struct RaceStage {
  int laps;           ///< number of blocks for each entrant; the entrants take turns
  int rounds;         ///< number of timed rounds in a block
  double drop_above;  ///< a method leaves if it takes more than this times the best
};

struct RaceRules {
  int warm_up;  ///< rounds of a new entrant that do not count: buffers grow, pages are touched
  /// The number of untimed rounds at the start of later blocks, in which the change of methods
  /// still has effects: ranks are out of step, caches hold other data. Long blocks have an eighth
  /// at least.
  int untimed;
  std::vector<RaceStage> stages;
  double
      keep_incumbent;  ///< the method in use before stays if it takes at most this times the best
};

/// Finds the fastest of some candidates in the live rounds of an exchange: they take turns, and
/// slow ones leave early. It does not communicate. The turns follow from the number of rounds
/// alone, so all ranks agree as long as they pass the same numbers to `decide`.
class Race {
 public:
  struct Entrant {
    std::size_t candidate;
    RoundTimes times = {};  ///< times on this rank
    int rounds = 0;         ///< number of rounds, untimed ones included
    double us = 0.0;        ///< agreed time: the largest of the ranks' medians
  };

  /// The candidates first run in the given order.
  Race(std::span<const std::size_t> candidates, RaceRules rules);

  /// The candidate of the coming round, and whether its time is needed.
  std::size_t current() const { return entrants_[turn()].candidate; }
  bool timed() const { return round_ >= untimed(lap_); }
  /// Counts a finished round; `us` is used only if its time was needed.
  void note(double us);

  /// True if `medians`, at their largest over the ranks, must now go to `decide`, before any other
  /// round.
  bool stage_is_over() const { return lap_ == stage().laps; }
  std::vector<double> medians() const;  ///< medians of this rank, by entrant
  void decide(std::span<const double> largest);

  /// After a stage: the best candidate so far, and the time of its rounds.
  std::size_t leader() const;
  double leader_us() const;
  /// By the agreed times: the time that the race has taken beyond that of as many rounds of the
  /// best, and the additional time of its next stage.
  double lost_us() const;
  double next_loss_us() const;
  /// The number of rounds in the coming stage, summed over all entrants.
  int stage_rounds() const;

  bool over() const { return stage_ == rules_.stages.size() || entrants_.size() == 1; }
  std::span<const Entrant> entrants() const { return entrants_; }
  /// The entrants that left since the race began.
  std::span<const Entrant> dropped() const { return dropped_; }
  /// The winner of a race that has ended. `incumbent` is the candidate in use before, or no
  /// candidate.
  std::size_t winner(std::size_t incumbent) const;
  /// Removes a candidate that turned out not to run.
  void remove(std::size_t candidate);

 private:
  const RaceStage& stage() const { return rules_.stages[stage_]; }
  int untimed(int lap) const {
    return stage_ == 0 && lap == 0 ? rules_.warm_up : std::max(rules_.untimed, stage().rounds / 8);
  }
  /// The number of rounds of each entrant in the coming stage.
  int rounds_of_each() const;
  /// The order of turns is reversed in every second lap, so that no entrant always follows the same
  /// one.
  std::size_t turn() const { return lap_ % 2 == 0 ? block_ : entrants_.size() - 1 - block_; }

  RaceRules rules_;
  std::vector<Entrant> entrants_;
  std::vector<Entrant> dropped_;
  std::size_t stage_ = 0;
  int lap_ = 0;
  std::size_t block_ = 0;  ///< block of this lap
  int round_ = 0;          ///< round of this block
};

}  // namespace sterna::comm
