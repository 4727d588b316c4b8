// Idea: exchange along x, then y, then z; each axis forwards earlier ghosts, so edges need no
// messages.
// Paper: Plimpton, J. Comput. Phys. 117 (1995) 1. If regions are thinner than the halo, a rank
// sends to all ranks within the halo on an axis at once.
// Cost: three latencies; 6 messages per rank on a large grid.
// Hazards: y waits for x, and z for y, so only x overlaps with computing; needs a regular grid.
// Another wins: `direct`, if latency costs more than the number of messages.
#include "md/domain/halo_staged.hpp"

#include <limits>
#include <stdexcept>

#include "md/domain/regular_grid.hpp"

namespace sterna::md {

HaloPlan plan_staged_halo(const Decomposition& decomposition, int rank, double width) {
  const auto* grid = dynamic_cast<const RegularGrid*>(&decomposition);
  if (grid == nullptr) {
    throw std::invalid_argument(
        "the staged halo needs a regular grid of regions; use the direct halo");
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto own = grid->coordinates(rank);
  HaloPlan plan;
  for (int axis = 0; axis < 3; ++axis) {
    const auto& planes = grid->boundaries(axis);
    const double extent = grid->box().shear().extent(width)[axis];
    const double length = grid->box().length[axis];
    const auto interval = [&](int at) {
      return Interval{planes[static_cast<std::size_t>(at)],
                      planes[static_cast<std::size_t>(at) + 1]};
    };
    HaloStage stage;
    stage.name = std::string("halo ") + "xyz"[axis];
    stage.with_other_ranks = grid->grid()[axis] > 1;
    const int m = largest_offset(length, extent);
    for (int at = 0; at < grid->grid()[axis]; ++at) {
      for (int offset = -m; offset <= m; ++offset) {
        if (at == own[axis] && offset == 0) continue;
        if (!within_halo(interval(own[axis]), own[axis], interval(at), at, offset, length,
                         extent)) {
          continue;
        }
        auto receiver = own;
        receiver[axis] = at;
        HaloSegment segment{grid->rank_at(receiver),
                            {0, 0, 0},
                            {0.0, 0.0, 0.0},
                            {-kInfinity, -kInfinity, -kInfinity},
                            {kInfinity, kInfinity, kInfinity},
                            {0.0, 0.0, 0.0}};
        segment.offset[axis] = offset;
        segment.shift[axis] = offset * length;
        segment.translation = static_cast<double>(offset) * grid->box().edges()[axis];
        segment.lower[axis] = interval(at).lower - extent;
        segment.upper[axis] = interval(at).upper + extent;
        Vec3 here, there;
        here[axis] = interval(own[axis]).lower;
        there[axis] = interval(at).lower;
        segment.in_half_shell = is_in_half_shell(segment.offset, here, there);
        stage.segments.push_back(segment);
      }
    }
    // Ranks ascend with the coordinate on one axis, so the segments are sorted already.
    plan.push_back(std::move(stage));
  }
  return plan;
}

}  // namespace sterna::md
