#include "md/forces/coulomb/fmm/tree_partition.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace sterna::md {

TreePartition::TreePartition(const Cells& top, int depth, bool periodic,
                             std::vector<FractionRegion> regions, int rank, std::size_t most_shared,
                             const Vec3& reach)
    : top_(top),
      depth_(depth),
      periodic_(periodic),
      regions_(std::move(regions)),
      rank_(rank),
      most_shared_(std::min(most_shared, regions_.size())),
      reach_(reach) {
  if (rank_count() == 1) return;
  while (first_distributed_ < depth_ &&
         CellBox::grid(grid(first_distributed_)).count() <= most_shared_) {
    ++first_distributed_;
  }
}

Cells TreePartition::grid(int depth) const {
  return {top_[0] << depth, top_[1] << depth, top_[2] << depth};
}

CellBox TreePartition::owned(int depth, int rank) const {
  const FractionRegion& region = regions_[static_cast<std::size_t>(rank)];
  const Cells cells = grid(depth);
  CellBox box;
  for (int axis = 0; axis < 3; ++axis) {
    const int n = cells[axis];
    // The first cell whose center is not below the bound. It is the same for both neighbors of a
    // bound.
    const auto first = [n](double bound) {
      int cell = std::clamp(static_cast<int>(std::ceil(bound * n - 0.5)) - 1, 0, n);
      while (cell < n && (cell + 0.5) / n < bound) ++cell;
      return cell;
    };
    box.lower[axis] = first(region.lower[axis]);
    box.upper[axis] = first(region.upper[axis]);
  }
  return box;
}

CellBox TreePartition::touched_leaves(int rank) const {
  const FractionRegion& region = regions_[static_cast<std::size_t>(rank)];
  const Cells cells = grid(depth_);
  CellBox box;
  for (int axis = 0; axis < 3; ++axis) {
    const int n = cells[axis], beyond = periodic_ && reach_[axis] > 0.0 ? 1 : 0;
    const double lower = region.lower[axis] - reach_[axis];
    const double upper = region.upper[axis] + reach_[axis];
    box.lower[axis] = std::clamp(static_cast<int>(std::floor(lower * n)), -beyond, n - 1);
    box.upper[axis] =
        std::clamp(static_cast<int>(std::ceil(upper * n)), box.lower[axis] + 1, n + beyond);
  }
  return box;
}

int TreePartition::most_cut_axis() const {
  int most_cut = 0;
  std::size_t most = 0;
  for (int axis = 0; axis < 3; ++axis) {
    std::set<double> bounds;
    for (const FractionRegion& region : regions_) bounds.insert(region.lower[axis]);
    if (bounds.size() >= most) most_cut = axis, most = bounds.size();
  }
  return most_cut;
}

}  // namespace sterna::md
