#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace sterna::md {

/// The times of the parts of a start. The time of a part that runs inside another one counts to the
/// inner part only.
class StartTimes {
 public:
  enum Part : std::size_t {
    launch,        ///< from the process's begin to here: MPI, input
    reading,       ///< reading a file or generating particles
    distributing,  ///< sending particles to their owners
    setup,         ///< making all other parts of the run
    lists,
    forces,  ///< the first forces
  };
  static constexpr std::array<std::string_view, 6> names{"launch", "reading", "distributing",
                                                         "setup",  "lists",   "forces"};

  StartTimes();

  /// Counts time for a part until the scope ends.
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

  /// Seconds of each part until now.
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
