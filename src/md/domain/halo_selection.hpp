#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "md/domain/halo_plan.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Finds the positions that belong to each segment of a stage. A particle well inside the region
/// costs one comparison (1 to 2 ns); another costs a few per axis and one step per ghost.
class HaloSelection {
 public:
  /// `own` is the region of this rank; all positions lie in it on the axes that segments test.
  /// `shear` is that of the box, because regions and segments are in unsheared coordinates.
  HaloSelection(std::vector<HaloSegment> segments, const Region& own, const Shear& shear = {});

  /// For types whose `narrow` is not 0, segments shrink by `margin` along each axis that they test,
  /// except segments that are narrow for all types. Empty: segments shrink for no type.
  void set_narrow_types(std::vector<char> narrow, const Vec3& margin) {
    narrow_ = std::move(narrow);
    margin_ = margin;
  }

  /// Fills `of` with the positions of each segment: lower <= u + shift <= upper along each axis for
  /// their unsheared coordinates u.
  void select(std::span<const Position> positions);
  std::span<const std::uint32_t> of(std::size_t segment) const {
    return {indices_.data() + begin_[segment], begin_[segment + 1] - begin_[segment]};
  }
  /// Replaces each index local_count + k by local_count + slots[k].
  void renumber(std::size_t local_count, std::span<const std::uint32_t> slots);
  const std::vector<HaloSegment>& segments() const { return segments_; }
  /// The number of selected positions, summed over the segments.
  std::size_t count() const { return begin_.back(); }

 private:
  /// A distinct test on one axis, with a mask of the up to 64 segments that need it.
  struct AxisTest {
    double shift, lower, upper;
    bool is_narrow;
    std::uint64_t segments;
  };
  /// Up to 64 segments that are tested together.
  struct Batch {
    std::size_t first, count;
    std::vector<AxisTest> tests[3];
  };
  /// The positions of a batch that are in segments, each with a mask of these segments.
  struct Hits {
    std::vector<std::uint32_t> index;
    std::vector<std::uint64_t> segments;
  };
  template <bool sheared>
  void select_batch(const Batch& batch, std::span<const Position> positions, Hits& hits);

  std::vector<HaloSegment> segments_;
  std::vector<char> narrow_;
  Vec3 margin_;
  std::vector<Batch> batches_;
  Shear shear_;
  Vec3 inner_center_, inner_half_;  ///< positions strictly inside this box are in no segment
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> indices_;
};

}  // namespace sterna::md
