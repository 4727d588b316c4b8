// Idea: each rank sends its boundary particles directly to every rank that needs them as ghosts.
// Paper: Plimpton, J. Comput. Phys. 117 (1995) 1, calls it the exchange with all 26 neighbors.
// Cost: one latency; 26 messages per rank on a large grid, most of them (edges, corners) tiny.
// Hazards: many small messages, slow with exchange methods that match messages in software.
// Another wins: `staged`, if messages cost more than the latency of two more stages.
#include "md/domain/halo_direct.hpp"

namespace sterna::md {

HaloPlan plan_direct_halo(const Decomposition& decomposition, int rank, double width) {
  const Region own = decomposition.region(rank);
  const Box& box = decomposition.box();
  const Vec3& length = box.length;
  const Vec3 extent = box.shear().extent(width);
  HaloStage stage;
  stage.name = "halo";
  stage.with_other_ranks = decomposition.rank_count() > 1;
  for (int receiver = 0; receiver < decomposition.rank_count(); ++receiver) {
    const Region region = decomposition.region(receiver);
    std::array<std::vector<int>, 3> offsets;
    for (int axis = 0; axis < 3; ++axis) {
      const int m = largest_offset(length[axis], extent[axis]);
      for (int offset = -m; offset <= m; ++offset) {
        if (within_halo({own.lower[axis], own.upper[axis]}, rank,
                        {region.lower[axis], region.upper[axis]}, receiver, offset, length[axis],
                        extent[axis])) {
          offsets[axis].push_back(offset);
        }
      }
      if (offsets[axis].empty()) break;  // most ranks of a large grid end here
    }
    for (const int x : offsets[0]) {
      for (const int y : offsets[1]) {
        for (const int z : offsets[2]) {
          if (receiver == rank && x == 0 && y == 0 && z == 0) continue;
          stage.segments.push_back({receiver,
                                    {x, y, z},
                                    {x * length.x, y * length.y, z * length.z},
                                    region.lower - extent,
                                    region.upper + extent,
                                    box.translation(x, y, z),
                                    is_in_half_shell({x, y, z}, own.lower, region.lower)});
        }
      }
    }
  }
  return {stage};
}

}  // namespace sterna::md
