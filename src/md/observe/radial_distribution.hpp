#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/shortrange/pair_list.hpp"

namespace sterna::md {

/// Radial distribution functions g_ab(r) of all pairs of types, from the pair list (so up to its
/// cutoff), averaged over frames. Histograms are counts, so sums over ranks are exact.
class RadialDistribution {
 public:
  /// `maximum` distance, at most the cutoff of the list.
  RadialDistribution(double maximum, int bins, int type_count);

  /// Counts the pairs of this rank's particles in one frame.
  void add_frame(const PairList& list, const ParticleStore& particles);

  std::span<std::int64_t> counts() { return counts_; }
  std::span<const std::int64_t> counts() const { return counts_; }
  std::int64_t frames() const { return frames_; }
  void set_frames(std::int64_t frames) { frames_ = frames; }
  double maximum() const { return maximum_; }
  int bins() const { return bins_; }
  double bin_center(int bin) const { return (bin + 0.5) * maximum_ / bins_; }

  /// g of types a and b from histograms summed over all ranks: counted pairs over those of an
  /// ideal gas of `particles_of_type` in `box`.
  double value(std::span<const std::int64_t> all_counts, int a, int b, int bin,
               std::span<const std::int64_t> particles_of_type, const Box& box) const;

 private:
  std::size_t index(int a, int b, int bin) const {
    return (static_cast<std::size_t>(a) * static_cast<std::size_t>(type_count_) +
            static_cast<std::size_t>(b)) *
               static_cast<std::size_t>(bins_) +
           static_cast<std::size_t>(bin);
  }
  double maximum_;
  int bins_;
  int type_count_;
  std::int64_t frames_ = 0;
  std::vector<std::int64_t> counts_;
};

}  // namespace sterna::md
