#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sterna::md {

/// The autocorrelation function of a series over all its length, in memory and time that grow with
/// the logarithm of it only: recent lags are kept one by one, longer ones from averages over 2, 4,
/// 8 ... values (Ramirez, Sukumaran, Vorselaars and Likhtman, J. Chem. Phys. 133, 154103 (2010),
/// with 16 points a level, averages of 2).
class MultiTauCorrelator {
 public:
  void add(double value);

  struct Point {
    double lag;  ///< in intervals of the series
    double correlation;
    double count;  ///< values that were averaged
  };
  /// Ascending lags, from 0.
  std::vector<Point> points() const;

  /// Everything there is to know, for a checkpoint, and the way back.
  std::vector<double> state() const;
  void set_state(std::span<const double> state);

 private:
  static constexpr std::size_t length = 16;
  void add(double value, std::size_t level);

  struct Level {
    double recent[length] = {};  ///< the newest first
    double sum[length] = {};
    double count[length] = {};
    double seen = 0.0;
    double waiting = 0.0;  ///< first half of the next level's value
  };
  std::vector<Level> levels_;
};

}  // namespace sterna::md
