#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comm/tune/cost_model.hpp"
#include "comm/tune/drift.hpp"
#include "comm/tune/machine_file.hpp"
#include "comm/tune/race.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::comm {

/// A method of a family, as the tuner sees it.
struct Candidate {
  std::string_view name;
  CostTerms (*cost)(const PatternShape& shape);
  std::string why_not;  ///< empty if it works here; the same on all ranks
};

/// The rules by which a family measures.
struct TuningRules {
  std::uint64_t rounds_before;  ///< shorter exchanges are not worth a race
  RaceRules race;
  std::uint64_t rounds_between_looks;  ///< rounds between checks for drift, once a method is chosen
  /// The approximate cost of a race: making all methods, running the slow ones. A race begins once
  /// the rounds have taken as long, so that a short run spends little on a choice that cannot pay
  /// any more.
  double race_us = 0.0;
  /// The time that a race may lose by methods slower than its best, as a part of the time of all
  /// rounds so far. Each stage waits, with the best method of the previous stage, until the race
  /// will have lost no more, by the known medians. 0: no stage waits.
  double largest_loss = 0.0;
  /// If rounds are rare, a race may lose more: rounds then count as if they took this part of the
  /// whole program's time. 0: only their own time counts.
  double part_of_program = 0.0;
};

struct TunerSetting {
  Context context;
  std::string family;         ///< such as "neighbor"
  std::string exchange_name;  ///< name in errors
  std::vector<Candidate> candidates;
  std::size_t usual;         ///< the candidate that runs until something is measured
  std::string usual_reason;  ///< the reason for that candidate
  TuningRules rules;
  double possible_sources = 0.0;  ///< see PatternShape
};

/// Returns the working candidate that the model expects to take the least time for `shape`. The
/// model uses the measurements of earlier runs on this machine, and the usual costs. Collective:
/// all ranks get the result of rank 0.
std::size_t expected_best(const TunerSetting& setting, const PatternShape& shape);

/// Chooses the method of one exchange from the times of its own rounds, repeats the choice after a
/// drift, and says why. It serves all families, because it knows candidates only by name and cost.
///
/// All ranks call the same functions in the same rounds. Between rounds the tuner is asked for the
/// candidate of the next one. Only if `due` must all ranks call `agree`, which communicates. After
/// it `live` may name other candidates; those that it does not name are no longer used.
class Tuner {
 public:
  explicit Tuner(TunerSetting setting);

  bool due() const { return rounds_ == next_agreement_; }
  /// Agrees with the other ranks. Collective.
  void agree();
  std::size_t current() const {
    return !race_ ? chosen_ : resting() ? race_->leader() : race_->current();
  }
  /// True if the time of the coming round is needed.
  bool timed() const { return race_ && !resting() ? race_->timed() : worth_timing(rounds_); }
  const std::vector<std::size_t>& live() const { return live_; }
  /// Reports, on all ranks, that a live candidate turned out not to work. There must be another
  /// one.
  void exclude(std::size_t candidate, const std::string& reason);

  struct Traffic {
    std::size_t messages = 0;  ///< messages to other ranks
    std::size_t off_node = 0;  ///< messages to other nodes
    std::size_t bytes = 0;
  };
  /// Counts a finished round, with its time `us` if that was needed.
  void note(double us, const Traffic& traffic);

  /// Fills in the method, the text, the candidates and the number of choices.
  void explain(Verdict& verdict) const;

  /// True for the first rounds and for one in sixteen of the later ones, because reading clocks
  /// costs time.
  static bool worth_timing(std::uint64_t round) { return round < 64 || round % 16 == 0; }

 private:
  enum class State { unavailable, failed, not_run, unlikely, slower, chosen };
  struct Record {
    State state = State::not_run;
    std::string why;  ///< reason why it did not run
    double us = 0.0;  ///< agreed time
    double model_us = 0.0;
    std::size_t rounds = 0, outliers = 0;  ///< on this rank
    bool stored = false;                   ///< true if `us` was measured in an earlier run
  };

  struct Agreed {
    PatternShape shape;
    std::vector<double> times;
  };
  Agreed agree_on(std::vector<double> mine);
  void choose_first_time();
  std::vector<std::size_t> find_entrants(bool use_stored_choice);
  void open_race(std::vector<std::size_t> entrants);
  void settle(std::size_t winner);
  /// True during a race whose next stage must still wait.
  bool resting() const { return rounds_ < stage_begins_; }
  /// Returns the round from which on so much time may be lost, if a round takes `us`.
  std::uint64_t round_that_earns(double lost_us, double us) const;
  /// Returns the time of a round that counts for the permitted loss of a race, if the round takes
  /// `us`.
  double worth_of_round(double us) const;
  void look_for_drift();
  void remember();
  void fit_model();
  std::vector<std::size_t> by_time() const;
  MethodEvidence evidence_of(std::size_t candidate) const;
  /// Fills in the method and the text while methods are measured.
  void explain_race(Verdict& verdict) const;

  TunerSetting setting_;
  std::vector<Record> records_;
  std::size_t usable_ = 0;  ///< number of candidates that work here
  std::vector<std::size_t> live_;
  std::size_t chosen_;
  bool decided_ = false;    ///< true if a race chose chosen_, in this run or an earlier one
  bool postponed_ = false;  ///< true if the first race waits until it pays
  std::size_t times_decided_ = 0;
  std::string drift_reason_;  ///< reason of the latest race, unless it was the first

  std::chrono::steady_clock::time_point made_;
  double program_us_ = 0.0;  ///< agreed time of the program from round to round
  std::uint64_t rounds_ = 0;
  std::uint64_t next_agreement_;
  std::uint64_t decided_at_ = 0;
  double lost_us_ = 0.0;  ///< time of the latest race beyond that of its winner
  std::optional<Race> race_;
  std::uint64_t stage_begins_ = 0;
  Drift drift_;
  RoundTimes window_;  ///< times since the last agreement, outside of races
  Traffic traffic_;    ///< traffic since the last agreement
  std::uint64_t traffic_rounds_ = 0;

  PatternShape shape_;
  std::vector<Measured> stored_;  ///< earlier measurements, for the model
  CostModel model_;
};

}  // namespace sterna::comm
