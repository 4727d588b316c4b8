#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sterna::md {

/// The autocorrelation function of a series over all its length, in memory and time that grow with
/// the logarithm of it only: recent lags are kept one by one, longer ones from averages over 2, 4,
/// 8 ... values (Ramirez, Sukumaran, Vorselaars and Likhtman, J. Chem. Phys. 133, 154103 (2010),
/// with 16 points a level, averages of 2). Products are summed up in blocks by their earlier values,
/// so that those of the beginning can be left out.
class MultiTauCorrelator {
 public:
  /// `block_length`: values in a block.
  void add(double value, std::int64_t block_length = std::numeric_limits<std::int64_t>::max());
  /// Two neighbors each become one.
  void merge_blocks();

  struct Point {
    double lag;  ///< in intervals of the series
    double correlation;
    double count;  ///< values that were averaged
  };
  /// Ascending lags, from 0; of values from this block on.
  std::vector<Point> points(std::size_t first_block = 0) const;

  /// Everything there is to know, for a checkpoint, and the way back.
  std::vector<double> state() const;
  void set_state(std::span<const double> state);

 private:
  static constexpr std::size_t length = 16;
  void add(double value, std::int64_t block_length, std::size_t level);

  struct Block {
    double sum[length] = {};
    double count[length] = {};
  };

  struct Level {
    double recent[length] = {};  ///< the newest first
    std::vector<Block> blocks;
    double seen = 0.0;
    double waiting = 0.0;  ///< first half of the next level's value
  };
  std::vector<Level> levels_;
};

}  // namespace sterna::md
