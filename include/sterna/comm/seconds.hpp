#pragma once

namespace sterna::comm {

/// A time in seconds. Every duration of <chrono> converts to it. Public headers take times as this
/// type, because <chrono> would add more than six thousand lines to each file that includes them.
class Seconds {
 public:
  constexpr explicit Seconds(double count) : count_(count) {}
  template <class Duration>
  requires requires(const Duration& duration) {
    duration.count();
    Duration::period::num;
    Duration::period::den;
  }
  constexpr Seconds(const Duration& duration)
      : count_(static_cast<double>(duration.count()) * static_cast<double>(Duration::period::num) /
               static_cast<double>(Duration::period::den)) {}

  constexpr double count() const { return count_; }

 private:
  double count_;
};

}  // namespace sterna::comm
