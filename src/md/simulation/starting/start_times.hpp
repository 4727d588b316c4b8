#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace sterna::md {

/// What the start of a run spends its time on. A part that is measured inside of another one counts
/// there alone.
class StartTimes {
 public:
  enum Part : std::size_t {
    launch,        ///< of the process, until the simulation is made: MPI, input
    reading,       ///< of a file, or making particles
    distributing,  ///< particles to their owners
    setup,         ///< of all that a run needs besides
    lists,
    forces,  ///< the first ones
  };
  static constexpr std::array<std::string_view, 6> names{"launch", "reading", "distributing",
                                                         "setup",  "lists",   "forces"};

  StartTimes();

  /// Counts for a part until its end.
  class Scope {
   public:
    Scope(StartTimes& times, Part part) : times_(times), outer_(times.part_) { times.enter(part); }
    ~Scope() { times_.enter(outer_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StartTimes& times_;
    Part outer_;
  };
  Scope measure(Part part) { return Scope(*this, part); }

  /// Up to now.
  const std::array<double, names.size()>& seconds() {
    enter(part_);
    return seconds_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  void enter(Part part);

  std::array<double, names.size()> seconds_{};
  Part part_ = setup;
  Clock::time_point since_;
};

}  // namespace sterna::md
