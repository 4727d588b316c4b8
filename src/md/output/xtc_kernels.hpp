#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/vector.hpp"
#include "md/output/xtc_encoding.hpp"
#include "md/simd/kernel_getters.hpp"
#include "md/system/position.hpp"

namespace sterna::md {

/// Functions on points of XTC frames for one instruction set. All sets give the same bits.
struct XtcKernels {
  const char* name;
  /// Rounds positions * precision, and writes each point to the first 12 of `stride` bytes; it may
  /// overwrite 16. Stops at a position that is outside the orthorhombic box with these edges, or
  /// too large for a point. Returns the number of positions before it.
  std::size_t (*round)(std::span<const Position> positions, double precision, const Vec3& edges,
                       std::byte* items, std::size_t stride);
  /// See XtcRange::add.
  void (*add)(std::span<const XtcPoint> points, XtcRange& range);
  /// See encode_xtc.
  std::span<const std::byte> (*encode)(std::span<XtcPoint> points, const XtcRange& range,
                                       bool is_last, std::vector<std::byte>& room);
};

STERNA_KERNEL_GETTERS(XtcKernels, xtc_kernels);

/// The kernels for `available_kernels` (instruction_set.hpp).
std::vector<const XtcKernels*> available_xtc_kernels();
/// The widest available kernels.
const XtcKernels& xtc_kernels();

}  // namespace sterna::md
