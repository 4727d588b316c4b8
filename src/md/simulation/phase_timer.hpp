#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace sterna::md {

/// What a rank spends its time on. Waiting for others counts where it happens.
enum class Phase {
  forces,
  halo,
  rebuild_decision,
  migration,
  sorting,
  halo_lists,
  pair_list,
  displacements,
  integration,
  thermostat,
  observers,
  output,
  checkpoint,
};
inline constexpr std::size_t phase_count = 13;

/// Name for the report, and whether the phase is communication.
struct PhaseInfo {
  std::string_view name;
  bool communication;
};
PhaseInfo phase_info(Phase phase);

/// Seconds per phase of one rank.
class PhaseTimer {
 public:
  using Clock = std::chrono::steady_clock;

  /// Adds the time until its end to a phase.
  class Scope {
   public:
    Scope(PhaseTimer& timer, Phase phase) : timer_(timer), phase_(phase), start_(Clock::now()) {}
    ~Scope() {
      timer_.seconds_[static_cast<std::size_t>(phase_)] +=
          std::chrono::duration<double>(Clock::now() - start_).count();
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    PhaseTimer& timer_;
    Phase phase_;
    Clock::time_point start_;
  };

  Scope measure(Phase phase) { return Scope(*this, phase); }
  double seconds(Phase phase) const { return seconds_[static_cast<std::size_t>(phase)]; }
  void reset() { seconds_.fill(0.0); }

 private:
  std::array<double, phase_count> seconds_{};
};

}  // namespace sterna::md
