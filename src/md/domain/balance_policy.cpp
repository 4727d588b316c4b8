#include "md/domain/balance_policy.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sterna::md {
namespace {

/// Steps between two looks: the shortest interval, at the start and after a change, and the
/// longest, if nothing happens.
constexpr std::int64_t kShortest = 25;
constexpr std::int64_t kLongest = 800;
/// Gains below this share of the slowest rank's time are noise.
constexpr double kLeastGain = 0.04;
/// A cut is rolled back if steps become slower by more than this share, because timings scatter.
constexpr double kTolerance = 0.05;
/// An imbalance is assumed to last this many times as long as the present regions have existed.
constexpr double kPersistence = 2.0;
/// After this many successive cuts that did not help, balancing switches off.
constexpr int kPatience = 3;
/// A cut has helped if at least this share of the predicted gain was measured.
constexpr double kLeastTrue = 0.25;

}  // namespace

BalancePolicy::BalancePolicy(std::int64_t first_step, double cost)
    : next_look_(first_step + kShortest),
      interval_(kShortest),
      changed_at_(first_step),
      cost_(cost) {}

void BalancePolicy::wait_longer() {
  interval_ = std::min(2 * interval_, kLongest);
  next_look_ = last_.step + interval_;
}

void BalancePolicy::wait_until_it_pays(double gain) {
  wait_longer();  // an upper limit, because the gain may grow
  const double steps = std::min(cost_ / (kPersistence * gain), static_cast<double>(kLongest));
  next_look_ = std::clamp(changed_at_ + static_cast<std::int64_t>(steps), last_.step + kShortest,
                          next_look_);
}

void BalancePolicy::fail(const std::string& why) {
  reason_ = why;
  if (++failures_ < kPatience) return;
  off_ = true;
  imbalance_when_off_ = imbalance_before_;
  reason_ += fmt::format("; {} cuts in a row that did not help: off", failures_);
}

bool BalancePolicy::worth(double most) {
  const double gain = last_.most - most;
  const std::int64_t lasted = last_.step - changed_at_;
  const double horizon = std::min(kPersistence * static_cast<double>(std::max(lasted, kShortest)),
                                  static_cast<double>(last_.steps_left));
  reason_ = fmt::format("gain of {:.1f} % of a step over {:.0f} steps: {:.3g} s, cost {:.3g} s",
                        100.0 * gain / last_.most, horizon, gain * horizon, cost_);
  return gain > kLeastGain * last_.most && gain * horizon > cost_;
}

BalancePolicy::Decision BalancePolicy::look(const Measurement& measurement) {
  last_ = measurement;
  if (on_trial_) {
    const bool longer = last_.whole > (1.0 + kTolerance) * whole_before_;
    if (longer && !suspected_) {
      // The machine may have been slow for a moment, so look once more before deciding.
      suspected_ = true;
      reason_ = "steps are longer after the cut: to be seen again";
      next_look_ = last_.step + 2 * kShortest;
      return Decision::keep;
    }
    on_trial_ = suspected_ = false;
    if (longer) {
      fail(fmt::format("the cut made a step {:.1f} % longer",
                       100.0 * (last_.whole / whole_before_ - 1.0)));
      return Decision::roll_back;
    }
    const double now = last_.most / last_.mean - 1.0;
    if (imbalance_before_ - now < kLeastTrue * (imbalance_before_ - predicted_)) {
      fail("the cut did not help");
      if (off_) {
        wait_longer();
        return Decision::keep;
      }
    } else {
      failures_ = 0;
    }
  }
  if (off_) {
    if (last_.most / last_.mean - 1.0 < 2.0 * imbalance_when_off_ + kLeastGain) {
      reason_ = "off: cuts did not help";
      wait_longer();
      return Decision::keep;
    }
    off_ = false;
    failures_ = 0;
  }
  if (worth(last_.mean)) return Decision::cut;
  const double gain = last_.most - last_.mean;
  if (gain > kLeastGain * last_.most) {
    wait_until_it_pays(gain);
  } else {
    wait_longer();
  }
  return Decision::keep;
}

bool BalancePolicy::accepts(double predicted_most) {
  predicted_ = predicted_most / last_.mean - 1.0;
  if (worth(predicted_most)) return true;
  wait_longer();
  return false;
}

void BalancePolicy::changed(double seconds) {
  cost_ = 0.5 * (cost_ + seconds);
  changed_at_ = last_.step;
}

void BalancePolicy::cut_was_made(double seconds) {
  changed(seconds);
  interval_ = kShortest;
  next_look_ = last_.step + interval_;
  on_trial_ = true;
  whole_before_ = last_.whole;
  imbalance_before_ = last_.most / last_.mean - 1.0;
}

void BalancePolicy::rolled_back(double seconds) {
  changed(seconds);
  wait_longer();
}

}  // namespace sterna::md
