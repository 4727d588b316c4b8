#include "md/domain/halo_selection.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace sterna::md {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kBatch = 64;
constexpr std::size_t kBlock = 2048;

double volume(const Region& region) {
  double product = 1.0;
  for (int axis = 0; axis < 3; ++axis) {
    product *= std::max(0.0, region.upper[axis] - region.lower[axis]);
  }
  return product;
}

/// A large box inside `own` that overlaps no segment: each segment cuts off as little as possible.
Region inner_region(const std::vector<HaloSegment>& segments, const Region& own) {
  Region inner = own;
  for (const auto& segment : segments) {
    Region best = inner;
    double most = -1.0;
    bool apart = false;
    for (int axis = 0; axis < 3; ++axis) {
      if (std::isinf(segment.lower[axis])) continue;
      // The slack exceeds the rounding of the exact test.
      const double slack = 1e-12 * (std::abs(segment.lower[axis]) + std::abs(segment.upper[axis]) +
                                    std::abs(segment.shift[axis]));
      const double lower = segment.lower[axis] - segment.shift[axis] - slack;
      const double upper = segment.upper[axis] - segment.shift[axis] + slack;
      if (upper <= inner.lower[axis] || lower >= inner.upper[axis]) apart = true;
      Region above = inner, below = inner;
      above.lower[axis] = std::max(inner.lower[axis], upper);
      below.upper[axis] = std::min(inner.upper[axis], lower);
      for (const Region& cut : {above, below}) {
        if (volume(cut) > most) {
          most = volume(cut);
          best = cut;
        }
      }
    }
    if (!apart) inner = best;
  }
  return inner;
}

}  // namespace

HaloSelection::HaloSelection(std::vector<HaloSegment> segments, const Region& own,
                             const Shear& shear)
    : segments_(std::move(segments)), shear_(shear), begin_(segments_.size() + 1, 0) {
  const Region inner = inner_region(segments_, own);
  for (int axis = 0; axis < 3; ++axis) {
    // Axes that no segment tests may hold ghosts of earlier stages beyond the own region.
    const bool looked_at = std::any_of(segments_.begin(), segments_.end(),
                                       [&](const auto& s) { return !std::isinf(s.lower[axis]); });
    inner_center_[axis] = looked_at ? 0.5 * (inner.lower[axis] + inner.upper[axis]) : 0.0;
    inner_half_[axis] = looked_at ? 0.5 * (inner.upper[axis] - inner.lower[axis]) : kInfinity;
  }
  for (std::size_t first = 0; first < segments_.size(); first += kBatch) {
    Batch batch{first, std::min(kBatch, segments_.size() - first), {}};
    for (int axis = 0; axis < 3; ++axis) {
      auto& tests = batch.tests[axis];
      for (std::size_t i = 0; i < batch.count; ++i) {
        const auto& segment = segments_[first + i];
        const double shift = segment.shift[axis];
        const double lower = segment.lower[axis], upper = segment.upper[axis];
        auto same = std::find_if(tests.begin(), tests.end(), [&](const AxisTest& test) {
          return test.shift == shift && test.lower == lower && test.upper == upper &&
                 test.is_narrow == segment.is_narrow;
        });
        if (same == tests.end()) {
          same = tests.insert(same, {shift, lower, upper, segment.is_narrow, 0});
        }
        same->segments |= std::uint64_t{1} << i;
      }
    }
    batches_.push_back(std::move(batch));
  }
}

void HaloSelection::select(std::span<const Position> positions) {
  if (positions.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("more than 4294967295 particles on one rank");
  }
  indices_.clear();
  Hits hits;
  for (const auto& batch : batches_) {
    shear_.none() ? select_batch<false>(batch, positions, hits)
                  : select_batch<true>(batch, positions, hits);
  }
}

template <bool sheared>
void HaloSelection::select_batch(const Batch& batch, std::span<const Position> positions,
                                 Hits& hits) {
  hits.index.clear();
  hits.segments.clear();
  std::size_t counts[kBatch] = {};
  const Vec3 center = inner_center_, half = inner_half_;
  const auto unsheared = [&](const Position& p) {
    return sheared ? shear_.unsheared(p.vector()) : p.vector();
  };
  std::uint32_t outer[kBlock];
  for (std::size_t block = 0; block < positions.size(); block += kBlock) {
    const std::size_t end = std::min(block + kBlock, positions.size());
    std::size_t found = 0;
    for (std::size_t i = block; i < end; ++i) {
      const Vec3 p = unsheared(positions[i]);
      // The largest of three distances costs half as much as six comparisons.
      const double outside =
          std::max(std::max(std::abs(p.x - center.x) - half.x, std::abs(p.y - center.y) - half.y),
                   std::abs(p.z - center.z) - half.z);
      outer[found] = static_cast<std::uint32_t>(i);
      found += !(outside < 0.0);
    }
    for (std::size_t k = 0; k < found; ++k) {
      const Position& position = positions[outer[k]];
      const Vec3 coordinates = unsheared(position);
      const bool narrow = !narrow_.empty() && narrow_[static_cast<std::size_t>(position.type)] != 0;
      std::uint64_t all = ~std::uint64_t{0};
      for (int axis = 0; axis < 3; ++axis) {
        std::uint64_t hit = 0;
        for (const auto& test : batch.tests[axis]) {
          const double image = coordinates[axis] + test.shift;
          const double margin = narrow && !test.is_narrow ? margin_[axis] : 0.0;
          const bool near = (image >= test.lower + margin) & (image <= test.upper - margin);
          hit |= near ? test.segments : 0;
        }
        all &= hit;
      }
      if (all == 0) continue;
      hits.index.push_back(outer[k]);
      hits.segments.push_back(all);
      for (std::uint64_t rest = all; rest != 0; rest &= rest - 1) ++counts[std::countr_zero(rest)];
    }
  }

  std::size_t cursor[kBatch];
  for (std::size_t i = 0; i < batch.count; ++i) {
    cursor[i] = begin_[batch.first + i];
    begin_[batch.first + i + 1] = cursor[i] + counts[i];
  }
  indices_.resize(begin_[batch.first + batch.count]);
  for (std::size_t k = 0; k < hits.index.size(); ++k) {
    for (std::uint64_t rest = hits.segments[k]; rest != 0; rest &= rest - 1) {
      indices_[cursor[std::countr_zero(rest)]++] = hits.index[k];
    }
  }
}

void HaloSelection::renumber(std::size_t local_count, std::span<const std::uint32_t> slots) {
  for (std::uint32_t& index : indices_) {
    if (index >= local_count) {
      index = static_cast<std::uint32_t>(local_count) + slots[index - local_count];
    }
  }
}

}  // namespace sterna::md
