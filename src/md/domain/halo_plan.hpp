#pragma once

#include <array>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/vector.hpp"
#include "md/domain/decomposition.hpp"

namespace sterna::md {

/// What one rank sends to one receiver under one periodic offset: the positions for whose unsheared
/// coordinates `unsheared + shift` lies in `lower..upper` (closed; infinite on axes that are not
/// looked at).
struct HaloSegment {
  int rank;                    ///< receiver; this rank itself for its own periodic images
  std::array<int, 3> offset;   ///< in boxes
  Vec3 shift;                  ///< of unsheared coordinates: offset times box length
  Vec3 lower, upper;           ///< region of the receiver, widened by the halo
  Vec3 translation;            ///< of positions: the lattice vector
  bool in_half_shell = false;  ///< as `is_in_half_shell` has it
  bool is_narrow = false;      ///< for all types, as the halo of narrow types is
};

/// Exchanges that may go on at the same time. Stages follow one another; a stage may send what
/// came in the stages before.
struct HaloStage {
  std::string name;                   ///< for errors and verdicts
  std::vector<HaloSegment> segments;  ///< sorted by rank, then offset
  bool with_other_ranks = false;      ///< the same on all ranks
};

using HaloPlan = std::vector<HaloStage>;

/// One row of the table of halo methods.
struct HaloMethod {
  std::string_view name;
  std::string_view description;
  /// What `rank` sends. Throws std::invalid_argument where the method cannot serve the
  /// decomposition.
  HaloPlan (*plan)(const Decomposition& decomposition, int rank, double width);
};

std::span<const HaloMethod> halo_methods();
/// Throws std::invalid_argument that lists the names where there is no such method.
const HaloMethod& halo_method(std::string_view name);

/// Whether the receiver, not the sender, computes the pairs of such ghosts with its particles: where
/// their region, moved by the offset, is above its own along x, or beside it and above along y, or
/// along z. So every region has about as many on either side. `sender`, `receiver`: lower corners.
bool is_in_half_shell(const std::array<int, 3>& offset, const Vec3& sender, const Vec3& receiver);

/// Whether positions of an interval, shifted by `offset` lengths, can lie within `width` of
/// another. Slightly generous, and the same answer for (a, b, offset) and (b, a, -offset), so that
/// both sides of a pair agree that they are peers.
struct Interval {
  double lower, upper;
};
bool within_halo(const Interval& sender, int sender_key, const Interval& receiver, int receiver_key,
                 int offset, double length, double width);

/// Ranks other than `rank` whose region, or a periodic image of it, is within `width` along the
/// normals of all faces; ascending.
std::vector<int> ranks_within(const Decomposition& decomposition, int rank, double width);

/// Largest periodic offset that can matter on an axis of this length.
int largest_offset(double length, double width);

}  // namespace sterna::md
