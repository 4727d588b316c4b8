#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "md/domain/halo_plan.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Finds which positions belong to which segments of a stage. Particles well inside the region
/// cost one comparison (1 to 2 ns); the others some per axis and one step for each ghost.
class HaloSelection {
 public:
  /// `own`: region of this rank, in which all positions lie on the axes that the segments look at.
  /// `shear`: of the box, from whose unsheared coordinates all of that is.
  HaloSelection(std::vector<HaloSegment> segments, const Region& own, const Shear& shear = {});

  /// Positions of the types for which `narrow` is not 0 are in a segment only where they are so much
  /// farther inside of it, along each axis that it looks at, unless it is narrow for all. Empty: no
  /// type is such.
  void set_narrow_types(std::vector<char> narrow, const Vec3& margin) {
    narrow_ = std::move(narrow);
    margin_ = margin;
  }

  /// Fills `of`: for each segment the positions whose unsheared coordinates u have
  /// lower <= u + shift <= upper per axis.
  void select(std::span<const Position> positions);
  std::span<const std::uint32_t> of(std::size_t segment) const {
    return {indices_.data() + begin_[segment], begin_[segment + 1] - begin_[segment]};
  }
  /// Replaces index local_count + k by local_count + slots[k].
  void renumber(std::size_t local_count, std::span<const std::uint32_t> slots);
  const std::vector<HaloSegment>& segments() const { return segments_; }
  /// Sum over the segments.
  std::size_t count() const { return begin_.back(); }

 private:
  /// One distinct test on one axis, and which of up to 64 segments hang on it.
  struct AxisTest {
    double shift, lower, upper;
    bool is_narrow;
    std::uint64_t segments;
  };
  /// Up to 64 segments that are looked at together.
  struct Batch {
    std::size_t first, count;
    std::vector<AxisTest> tests[3];
  };
  /// Positions of a batch that are in segments, and in which.
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
  Vec3 inner_center_, inner_half_;  ///< positions strictly inside are in no segment
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> indices_;
};

}  // namespace sterna::md
