#pragma once

#include <chrono>

namespace sterna::comm {

/// The time that a round of an exchange takes its caller: from the first outbox to the return of
/// `start`, and from the first `next` to the return of `finish`. Packing and unpacking are part of
/// it, since methods that share memory do their copies there. Computation between `start` and the
/// first `next`, while messages are on their way, is not.
class RoundClock {
 public:
  void start() {
    us_ = 0.0;
    running_ = true;
    since_ = Clock::now();
  }
  void pause() {
    us_ += std::chrono::duration<double, std::micro>(Clock::now() - since_).count();
    running_ = false;
  }
  void resume() {
    if (running_) return;
    running_ = true;
    since_ = Clock::now();
  }
  double stop() {
    pause();
    return us_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point since_;
  bool running_ = false;
  double us_ = 0.0;
};

}  // namespace sterna::comm
