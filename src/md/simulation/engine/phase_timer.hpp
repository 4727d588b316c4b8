#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/processor_time.hpp"
#include "sterna/comm/synchronized_timing.hpp"

namespace sterna::md {

/// The parts of a step that are timed. Waiting for other ranks counts to the phase in which it
/// happens. Each force term of the run has a phase of its own besides these:
/// `PhaseTimer::add_term`.
enum class Phase : std::size_t {
  images,
  halo,
  rebuild_decision,
  migration,
  sorting,
  halo_selection,
  halo_lists,
  pair_list,
  balance,
  displacements,
  integration,
  constraints,
  thermostat,
  observers,
  output,
  checkpoint,
};

/// The name of a phase in the report, and whether the phase is communication.
struct PhaseInfo {
  std::string name;
  bool communication;
};

/// The smallest measured difference of two readings of comm::processor_seconds_now.
double processor_clock_resolution();

/// Seconds per phase of one rank. For force terms and list work also the processor time without
/// waits for other ranks: neither waits nor other programs on the core lengthen it, so regions are
/// cut by it. Reading its clock is slow (about 0.5 us), so forces are measured in some steps only.
class PhaseTimer {
 public:
  using Clock = std::chrono::steady_clock;

  /// Adds the time from its construction to its end to a phase.
  class Scope {
   public:
    Scope(PhaseTimer& timer, Phase phase)
        : timer_(timer),
          phase_(phase),
          reads_processor_(timer.reads_processor(phase)),
          start_(Clock::now()),
          processor_start_(reads_processor_ ? timer.computed_seconds() : 0.0),
          exchanges_start_(timer.exchange_times()) {}
    ~Scope() {
      const auto phase = static_cast<std::size_t>(phase_);
      if (reads_processor_) {
        timer_.processor_seconds_[phase] += timer_.computed_seconds() - processor_start_;
      }
      timer_.seconds_[phase] += std::chrono::duration<double>(Clock::now() - start_).count();
      const auto exchanges = timer_.exchange_times();
      timer_.waiting_[phase] += exchanges.waiting - exchanges_start_.waiting;
      timer_.communication_[phase] += exchanges.communication - exchanges_start_.communication;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    PhaseTimer& timer_;
    Phase phase_;
    bool reads_processor_;
    Clock::time_point start_;
    double processor_start_;
    comm::SynchronizedTiming::Times exchanges_start_;
  };

  PhaseTimer();
  /// Waits of this context do not count as computing.
  void leave_out_waits(const comm::Context& context) { context_ = context; }

  /// Adds a phase for a force term of this name, behind all others.
  Phase add_term(std::string_view name);
  /// Number of all phases; phases of force terms come last.
  std::size_t phase_count() const { return info_.size(); }
  const PhaseInfo& info(Phase phase) const { return info_[static_cast<std::size_t>(phase)]; }
  bool is_term(Phase phase) const;

  Scope measure(Phase phase) { return Scope(*this, phase); }
  double seconds(Phase phase) const { return seconds_[static_cast<std::size_t>(phase)]; }
  double seconds_of_terms() const { return sum_of_terms(seconds_); }
  void reset() {
    for (auto* seconds : {&seconds_, &waiting_, &communication_}) {
      std::fill(seconds->begin(), seconds->end(), 0.0);
    }
  }

  /// From now on each scope's time is split into computing, waiting and exchanging as measured by
  /// `timing`; null: it is not split.
  void set_synchronized_timing(const comm::SynchronizedTiming* timing) { timing_ = timing; }
  /// The part of `seconds` that was spent waiting for other ranks, and in exchanges with them; 0 if
  /// the time was not split.
  double waiting(Phase phase) const { return waiting_[static_cast<std::size_t>(phase)]; }
  double communication(Phase phase) const {
    return communication_[static_cast<std::size_t>(phase)];
  }

  /// Sets whether the processor time of lists and of forces is measured from now on.
  void measure_processor(bool lists, bool forces) {
    lists_ = lists;
    forces_ = forces;
  }
  /// Processor time of the measured scopes since the start, without waits; `reset` keeps it.
  double processor_seconds(Phase phase) const {
    return processor_seconds_[static_cast<std::size_t>(phase)];
  }
  double processor_seconds_of_terms() const { return sum_of_terms(processor_seconds_); }

 private:
  double sum_of_terms(const std::vector<double>& seconds) const;
  bool reads_processor(Phase phase) const {
    if (is_term(phase)) return forces_;
    return lists_ && (phase == Phase::sorting || phase == Phase::pair_list);
  }

  double computed_seconds() const {
    return comm::processor_seconds_now() - (context_ ? context_->processor_seconds_waited() : 0.0);
  }

  comm::SynchronizedTiming::Times exchange_times() const {
    return timing_ == nullptr ? comm::SynchronizedTiming::Times{} : timing_->times();
  }

  std::vector<PhaseInfo> info_;
  std::vector<double> seconds_, waiting_, communication_, processor_seconds_;  ///< by phase
  bool lists_ = false;
  bool forces_ = false;
  const comm::SynchronizedTiming* timing_ = nullptr;
  std::optional<comm::Context> context_;
};

}  // namespace sterna::md
