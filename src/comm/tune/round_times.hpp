#pragma once

#include <cstddef>
#include <vector>

namespace sterna::comm {

/// Times of rounds on this rank, of one method. Medians, so that a round in which the system did
/// something else decides nothing; such rounds are counted as outliers.
class RoundTimes {
 public:
  void add(double us) { us_.push_back(us); }
  void clear() { us_.clear(); }
  std::size_t count() const { return us_.size(); }
  /// 0 where there are none.
  double median() const;
  /// Rounds that took more than eight times the median.
  std::size_t outliers() const;

 private:
  std::vector<double> us_;
};

}  // namespace sterna::comm
