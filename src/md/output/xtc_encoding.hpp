#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sterna::md {

/// Coordinates in units of one over the precision of an XTC file.
using XtcPoint = std::array<std::int32_t, 3>;

/// What the points of a frame have in common, which its header says.
struct XtcRange {
  std::array<std::int64_t, 3> least{none, none, none}, most{-none, -none, -none};
  /// The least |dx| + |dy| + |dz| of two points that follow each other; of those that are farther
  /// apart than every size of small distances, something larger than that.
  std::int64_t least_distance = none;

  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  /// Farther apart than this, points have no place in a frame.
  static constexpr std::int64_t largest_extent = std::numeric_limits<std::int32_t>::max() - 1;

  void add(std::span<const XtcPoint> points);
  /// Which entry of the table of sizes small distances are encoded with at first.
  int first_size() const;
};

/// The fewest points of a part that another part follows.
constexpr std::size_t least_xtc_part = 16;

/// The points of a part of a frame as the stream of bits of GROMACS's XTC format (the library
/// xdrfile, function xdrfile_compress_coord_float; D. van der Spoel et al., GROMACS manual, "XTC").
/// A frame is one stream for one encoder, whose state the decoder follows: the size of small
/// distances and the length of the last run. Here every part begins in the state that the header
/// describes and, where it is not the last one, ends in it and with a whole byte. So the parts of
/// several ranks, one behind the other, are a frame. It costs about 100 bytes for each part.
/// `points` that follow each other closely may change places in memory. The bytes stand in `room`,
/// which grows and keeps its size, until it is used again.
std::span<const std::byte> encode_xtc(std::span<XtcPoint> points, const XtcRange& range,
                                      bool is_last, std::vector<std::byte>& room);

}  // namespace sterna::md
