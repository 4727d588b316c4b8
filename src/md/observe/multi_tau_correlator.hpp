#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sterna::md {

/// The autocorrelation function of a series over its whole length, with memory and time that grow
/// only with the logarithm of the length. Recent values are kept one by one, older ones as averages
/// over 2, 4, 8 ... values: 16 points per level and averages of 2. Products are summed in blocks by
/// their earlier value, so that early blocks can be left out. Source: Ramirez, Sukumaran, Vorselaars
/// and Likhtman, J. Chem. Phys. 133, 154103 (2010).
class MultiTauCorrelator {
 public:
  /// Adds a value to the series. `block_length`: the number of values in a block.
  void add(double value, std::int64_t block_length = std::numeric_limits<std::int64_t>::max());
  /// Merges neighboring blocks in pairs.
  void merge_blocks();

  struct Point {
    double lag;  ///< in intervals of the series
    double correlation;
    double count;  ///< number of products averaged
  };
  /// The correlation function at ascending lags from 0, of values from block `first_block` on.
  std::vector<Point> points(std::size_t first_block = 0) const;

  /// The complete state for a checkpoint, and its restoration.
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
