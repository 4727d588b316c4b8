#pragma once

#include <cstddef>
#include <vector>

namespace sterna::comm {

/// Times of rounds of one method on this rank. Medians are used, so that rounds in which the system
/// interrupted the process have no effect; such rounds are counted as outliers.
class RoundTimes {
 public:
  void add(double us) { us_.push_back(us); }
  void clear() { us_.clear(); }
  std::size_t count() const { return us_.size(); }
  /// Returns 0 if there are no times.
  double median() const;
  /// The number of rounds that took more than eight times the median.
  std::size_t outliers() const;

 private:
  std::vector<double> us_;
};

}  // namespace sterna::comm
