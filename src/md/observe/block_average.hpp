#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sterna::md {

/// Mean and standard error of a correlated series, streaming, by pairwise blocking (Flyvbjerg and
/// Petersen, J. Chem. Phys. 91, 461 (1989)): the error is the largest of those of all block
/// lengths that still have enough blocks, since blocks that are too short look independent only.
class BlockAverage {
 public:
  void add(double value);

  std::int64_t count() const { return levels_.empty() ? 0 : levels_[0].count; }
  double mean() const;
  /// 0 for fewer than two values.
  double standard_error() const;

  /// Everything there is to know, for a checkpoint, and the way back.
  std::vector<double> state() const;
  void set_state(const std::vector<double>& state);

 private:
  struct Level {
    std::int64_t count = 0;
    double mean = 0.0;
    double squares = 0.0;  ///< sum of squared deviations from the mean
    double waiting = 0.0;  ///< half of the next level's value
    bool has_waiting = false;
  };
  std::vector<Level> levels_;
};

}  // namespace sterna::md
