#include "md/domain/halo_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "md/domain/halo_direct.hpp"
#include "md/domain/halo_staged.hpp"
#include "sterna/comm/joined.hpp"

namespace sterna::md {
namespace {

constexpr HaloRoute kHaloRoutes[] = {
    {"direct", "one message to each region within the halo width (26 on a large grid), all at once",
     plan_direct_halo},
    {"staged", "x, then y, then z, forwarding what came before (6 messages on a large grid)",
     plan_staged_halo},
};

}  // namespace

std::span<const HaloRoute> halo_routes() {
  return kHaloRoutes;
}

const HaloRoute& halo_route(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& route : kHaloRoutes) {
    if (route.name == name) return route;
    names.push_back(route.name);
  }
  throw std::invalid_argument(
      fmt::format("no halo route is named '{}'; there are: {}", name, comm::joined(names, ", ")));
}

bool is_in_half_shell(const std::array<int, 3>& offset, const Vec3& sender, const Vec3& receiver) {
  for (int axis = 0; axis < 3; ++axis) {
    const int boxes = offset[static_cast<std::size_t>(axis)];
    if (boxes != 0) return boxes > 0;
    if (sender[axis] != receiver[axis]) return sender[axis] > receiver[axis];
  }
  return false;
}

bool within_halo(const Interval& sender, int sender_key, const Interval& receiver, int receiver_key,
                 int offset, double length, double width) {
  // Both ranks evaluate the identical expression, with the lower key first, so that they agree.
  const bool swap = sender_key > receiver_key;
  const Interval& a = swap ? receiver : sender;
  const Interval& b = swap ? sender : receiver;
  const double shift = length * (swap ? -offset : offset);
  const double gap = std::max(b.lower - (a.upper + shift), (a.lower + shift) - b.upper);
  // The slack is far above the rounding of the exact test and far below the size of a particle.
  return gap <= width + 1e-9 * (width + length);
}

int largest_offset(double length, double width) {
  return static_cast<int>(std::ceil(width / length)) + 1;
}

std::vector<int> ranks_within(const Decomposition& decomposition, int rank, double width) {
  const Region own = decomposition.region(rank);
  const Vec3& length = decomposition.box().length;
  const Vec3 extent = decomposition.box().shear().extent(width);
  std::vector<int> ranks;
  for (int other = 0; other < decomposition.rank_count(); ++other) {
    if (other == rank) continue;
    const Region region = decomposition.region(other);
    bool near = true;
    for (int axis = 0; axis < 3 && near; ++axis) {
      near = false;
      const int m = largest_offset(length[axis], extent[axis]);
      for (int offset = -m; offset <= m && !near; ++offset) {
        near = within_halo({own.lower[axis], own.upper[axis]}, rank,
                           {region.lower[axis], region.upper[axis]}, other, offset, length[axis],
                           extent[axis]);
      }
    }
    if (near) ranks.push_back(other);
  }
  return ranks;
}

}  // namespace sterna::md
