#pragma once

#include <cstdint>
#include <string>

namespace sterna::md {

/// Decides from measurements when regions are cut again; others do the cutting. All its input is
/// the same on all ranks, so that all ranks reach the same decision.
///
/// It cuts if the predicted gain exceeds the measured cost of a cut. The gain is counted over twice
/// as many steps as the present regions have lasted. So the time lost to imbalance stays below a
/// small multiple of the cost of balancing. (Menon, Jain, Zheng, Kale, CLUSTER 2012, choose the
/// interval by the same trade-off.) A cut that made steps slower is rolled back. If cuts do not
/// help, balancing stays off until the imbalance has become much worse.
class BalancePolicy {
 public:
  /// Averages per step over the steps since the last look.
  struct Measurement {
    std::int64_t step;
    std::int64_t steps_left;
    double most, mean;  ///< computing time of the slowest rank, and the mean over ranks; seconds
    double whole;       ///< time of a whole step, which a cut must not increase; seconds
  };
  enum class Decision {
    keep,
    cut,        ///< a cut may pay: compute one and ask `accepts`
    roll_back,  ///< the last cut made steps slower
  };

  /// `cost` is a first guess of the seconds that a change of regions takes.
  BalancePolicy(std::int64_t first_step, double cost);

  /// The first step at which `look` should be called again.
  std::int64_t next_look() const { return next_look_; }
  Decision look(const Measurement& measurement);
  /// Asked after `cut`: whether the new regions are worth changing to.
  bool accepts(double predicted_most);
  /// Tells that the regions were changed, and how long it took. The cut is on trial until `look`.
  void cut_was_made(double seconds);
  /// Tells, after `roll_back`, that the former regions are in use again.
  void rolled_back(double seconds);

  bool is_off() const { return off_; }
  double cost() const { return cost_; }
  /// The reason for the last decision, for the log.
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
  bool on_trial_ = false;   ///< no look has judged the last cut yet
  bool suspected_ = false;  ///< the first look after the cut saw longer steps
  double whole_before_ = 0.0;
  double imbalance_before_ = 0.0, predicted_ = 0.0;  ///< slowest over mean, minus 1
  int failures_ = 0;
  bool off_ = false;
  double imbalance_when_off_ = 0.0;
  std::string reason_;
};

}  // namespace sterna::md
