#pragma once

#include <cstdint>
#include <string>

namespace sterna::md {

/// Decides when regions are cut again, from what was measured; does nothing itself. Everything that
/// it is told is the same on all ranks, so all of them decide alike.
///
/// Cuts where the gain that the cut predicts, over twice as many steps as the present regions
/// have lasted, exceeds the measured cost: no more time is ever lost to waiting than a small
/// multiple of what balancing would have cost. (Menon, Jain, Zheng, Kale, CLUSTER 2012, choose the
/// interval by the same exchange.) A cut that made steps slower is taken back; where cuts do not
/// help it gives up, until the imbalance has become much worse.
class BalancePolicy {
 public:
  /// Per step, over the steps since the last look.
  struct Measurement {
    std::int64_t step;
    std::int64_t steps_left;
    double most, mean;  ///< computing time of the slowest rank and of all, in seconds
    double whole;       ///< what a cut must not make longer: the time of a step
  };
  enum class Decision {
    keep,
    cut,        ///< a cut may pay: make one and ask `accepts`
    roll_back,  ///< the last cut did harm
  };

  /// `cost`: seconds that going over to other regions takes, a first guess.
  BalancePolicy(std::int64_t first_step, double cost);

  /// Looking before this step would be too early.
  std::int64_t next_look() const { return next_look_; }
  Decision look(const Measurement& measurement);
  /// After `cut`: whether the one that was made is worth taking.
  bool accepts(double predicted_most);
  /// It was taken, which took so many seconds; it is on trial until the next look.
  void cut_was_made(double seconds);
  /// After `roll_back`: the former regions are there again.
  void rolled_back(double seconds);

  bool is_off() const { return off_; }
  double cost() const { return cost_; }
  /// Why the last answer was what it was.
  const std::string& reason() const { return reason_; }

 private:
  bool worth(double most);
  void wait_longer();
  void wait_until_it_pays(double gain);
  void changed(double seconds);
  void fail(const std::string& why);

  std::int64_t next_look_;
  std::int64_t interval_;
  std::int64_t changed_at_;
  double cost_;
  Measurement last_{};
  bool on_trial_ = false;   ///< a cut was made that no look has judged
  bool suspected_ = false;  ///< steps were longer when it was looked at first
  double whole_before_ = 0.0;
  double imbalance_before_ = 0.0, predicted_ = 0.0;  ///< most over mean, less 1
  int failures_ = 0;
  bool off_ = false;
  double imbalance_when_off_ = 0.0;
  std::string reason_;
};

}  // namespace sterna::md
