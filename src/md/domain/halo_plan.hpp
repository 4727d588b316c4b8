#pragma once

#include <array>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/vector.hpp"
#include "md/domain/decomposition.hpp"

namespace sterna::md {

/// The particles that one rank sends to one receiver under one periodic offset: those for whose
/// unsheared coordinates `unsheared + shift` lies in `lower..upper` (closed interval; infinite on
/// axes that are not tested).
struct HaloSegment {
  int rank;                    ///< receiver; this rank itself for its own periodic images
  std::array<int, 3> offset;   ///< in box lengths
  Vec3 shift;                  ///< of unsheared coordinates: offset times box length
  Vec3 lower, upper;           ///< region of the receiver, extended by the halo
  Vec3 translation;            ///< of positions: the lattice vector of the offset
  bool in_half_shell = false;  ///< the result of `is_in_half_shell`
  bool is_narrow = false;      ///< `narrow_width` applies to all types
};

/// Exchanges that may run at the same time. Stages run one after another, and a stage may forward
/// ghosts that arrived in earlier stages.
struct HaloStage {
  std::string name;                   ///< for errors and verdicts
  std::vector<HaloSegment> segments;  ///< sorted by rank, then by offset
  bool with_other_ranks = false;      ///< whether any rank sends to another; equal on all ranks
};

using HaloPlan = std::vector<HaloStage>;

/// One row of the table of halo routes.
struct HaloRoute {
  std::string_view name;
  std::string_view description;
  /// The segments that `rank` sends. Throws std::invalid_argument if the route cannot serve the
  /// decomposition.
  HaloPlan (*plan)(const Decomposition& decomposition, int rank, double width);
};

std::span<const HaloRoute> halo_routes();
/// The route with this name. If there is none, throws std::invalid_argument with all names.
const HaloRoute& halo_route(std::string_view name);

/// Whether the receiver, not the sender, computes the pairs of these ghosts with its particles. It
/// does if the sender's region, moved by the offset, is above its own. The regions are compared
/// along x, if they are equal there along y, and then along z. So every region has about equally
/// many neighbors on either side. `sender` and `receiver` are lower corners.
bool is_in_half_shell(const std::array<int, 3>& offset, const Vec3& sender, const Vec3& receiver);

/// Whether positions in one interval, shifted by `offset` lengths, can lie within `width` of the
/// other. The test has a small tolerance. It gives the same answer for (a, b, offset) and (b, a,
/// -offset), so that both ranks agree that they are peers.
struct Interval {
  double lower, upper;
};
bool within_halo(const Interval& sender, int sender_key, const Interval& receiver, int receiver_key,
                 int offset, double length, double width);

/// The ranks, ascending and without `rank`, whose region or its periodic image is within `width` of
/// the region of `rank` along the normals of all faces.
std::vector<int> ranks_within(const Decomposition& decomposition, int rank, double width);

/// The largest periodic offset that a halo of this width can need on an axis of this length.
int largest_offset(double length, double width);

}  // namespace sterna::md
