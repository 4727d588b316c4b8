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
  std::string why_not;  ///< empty where it works here, the same on all ranks
};

/// How much a family measures.
struct TuningRules {
  std::uint64_t rounds_before;  ///< an exchange that lives shorter is not worth it
  RaceRules race;
  std::uint64_t rounds_between_looks;  ///< for drift, once a method is chosen
  /// What a race costs, about: making all methods, running the slow ones. It begins once the rounds
  /// have taken as long, so that a short run spends little on a choice that cannot pay any more.
  double race_us = 0.0;
  /// What a race may lose by methods slower than its best, as a part of the time of all rounds so
  /// far: each stage waits, with the best of the one before, until by the medians that are known
  /// the race will have lost no more. 0: none waits.
  double largest_loss = 0.0;
  /// Where rounds are rare, a race may lose more: as if they took this part of the time of all that
  /// the program does, not only of theirs. 0: only theirs counts.
  double part_of_program = 0.0;
};

struct TunerSetting {
  Context context;
  std::string family;         ///< "neighbor"
  std::string exchange_name;  ///< name in errors
  std::vector<Candidate> candidates;
  std::size_t usual;         ///< candidate that runs until something is measured
  std::string usual_reason;  ///< why that one
  TuningRules rules;
  double possible_sources = 0.0;  ///< see PatternShape
};

/// Of the candidates that work, the one that the model expects to take the least time for `shape`,
/// from what earlier runs on this machine measured, and the usual costs. Collective: all ranks get
/// what rank 0 expects.
std::size_t expected_best(const TunerSetting& setting, const PatternShape& shape);

/// Chooses the method of one exchange from the times of its own rounds, keeps the choice true, and
/// says why. The same engine for all families: it knows candidates only by name and cost.
///
/// All ranks call the same functions in the same rounds. Between rounds the tuner is asked for the
/// candidate of the next one. Only where `due` must all ranks call `agree`, which communicates;
/// after it `live` may name other candidates. Those not named are done with.
class Tuner {
 public:
  explicit Tuner(TunerSetting setting);

  bool due() const { return rounds_ == next_agreement_; }
  /// Collective.
  void agree();
  std::size_t current() const {
    return !race_ ? chosen_ : resting() ? race_->leader() : race_->current();
  }
  /// Whether the time of the coming round is wanted.
  bool timed() const { return race_ && !resting() ? race_->timed() : worth_timing(rounds_); }
  const std::vector<std::size_t>& live() const { return live_; }
  /// A live candidate turned out not to work, on all ranks. There must be another.
  void exclude(std::size_t candidate, const std::string& reason);

  struct Traffic {
    std::size_t messages = 0;  ///< to other ranks
    std::size_t off_node = 0;  ///< of these
    std::size_t bytes = 0;
  };
  /// A round is done; `us` where it was wanted.
  void note(double us, const Traffic& traffic);

  /// Fills method, text, candidates and times chosen.
  void explain(Verdict& verdict) const;

  /// Reading clocks costs time: the first rounds, and one in sixteen of the later ones.
  static bool worth_timing(std::uint64_t round) { return round < 64 || round % 16 == 0; }

 private:
  enum class State { unavailable, failed, not_run, unlikely, slower, chosen };
  struct Record {
    State state = State::not_run;
    std::string why;  ///< where it did not run
    double us = 0.0;  ///< agreed
    double model_us = 0.0;
    std::size_t rounds = 0, outliers = 0;  ///< on this rank
    bool stored = false;                   ///< `us` was measured before
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
  /// A race is under way, and its next stage not earned yet.
  bool resting() const { return rounds_ < stage_begins_; }
  /// The round from which so much time may be lost, where one takes `us`.
  std::uint64_t round_that_earns(double lost_us, double us) const;
  /// What a round counts for in what a race may cost, where it takes `us`.
  double worth_of_round(double us) const;
  void look_for_drift();
  void remember();
  void fit_model();
  std::vector<std::size_t> by_time() const;

  TunerSetting setting_;
  std::vector<Record> records_;
  std::size_t usable_ = 0;  ///< candidates that work here
  std::vector<std::size_t> live_;
  std::size_t chosen_;
  bool decided_ = false;    ///< chosen_ was chosen by a race, of this run or an earlier one
  bool postponed_ = false;  ///< the first race, until it pays
  std::size_t times_decided_ = 0;
  std::string drift_reason_;  ///< of the latest race but the first

  std::chrono::steady_clock::time_point made_;
  double program_us_ = 0.0;  ///< from round to round, agreed
  std::uint64_t rounds_ = 0;
  std::uint64_t next_agreement_;
  std::uint64_t decided_at_ = 0;
  double lost_us_ = 0.0;  ///< time that the latest race took beyond that of its winner
  std::optional<Race> race_;
  std::uint64_t stage_begins_ = 0;
  Drift drift_;
  RoundTimes window_;  ///< since the last agreement, outside of races
  Traffic traffic_;    ///< since the last agreement
  std::uint64_t traffic_rounds_ = 0;

  PatternShape shape_;
  std::vector<Measured> stored_;  ///< what was measured before, for the model
  CostModel model_;
};

}  // namespace sterna::comm
