#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sterna::md {

/// Coordinates as multiples of 1 / precision of an XTC file.
using XtcPoint = std::array<std::int32_t, 3>;

/// Common properties of the points of a frame, which its header contains.
struct XtcRange {
  std::array<std::int64_t, 3> least{none, none, none}, most{-none, -none, -none};
  /// The smallest |dx| + |dy| + |dz| of two consecutive points. If it exceeds all sizes of small
  /// distances, it may be any larger number.
  std::int64_t least_distance = none;

  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  /// Points of a frame cannot be farther apart than this.
  static constexpr std::int64_t largest_extent = std::numeric_limits<std::int32_t>::max() - 1;

  void add(std::span<const XtcPoint> points);
  /// The entry in the table of sizes with which the encoding of small distances starts.
  int first_size() const;
};

/// The smallest number of points in a part that is not the last one.
constexpr std::size_t least_xtc_part = 16;

/// Encodes the points of a part of a frame as a bit stream of GROMACS's XTC format (the library
/// xdrfile, function xdrfile_compress_coord_float; D. van der Spoel et al., GROMACS manual, "XTC").
/// In the format a frame is one stream by one encoder, whose state the decoder follows: the size of
/// small distances and the length of the last run. Here every part begins in the state that the
/// header describes and, unless it is the last one, ends in this state and with a whole byte. So
/// the concatenated parts of several ranks are a frame. This costs about 100 bytes per part. Points
/// close to each other may swap places in `points`. The bytes are in `room`, which grows as needed,
/// until its next use.
std::span<const std::byte> encode_xtc(std::span<XtcPoint> points, const XtcRange& range,
                                      bool is_last, std::vector<std::byte>& room);

}  // namespace sterna::md
