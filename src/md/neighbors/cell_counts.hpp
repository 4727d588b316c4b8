#pragma once

#include <array>

#include "md/core/vector.hpp"

namespace sterna::md {

/// Cells along each axis of a region of this width, none narrower than `least_width`. A region that
/// would have millions of them has wider ones: almost all would be empty, or a rank would hold more
/// particles than fit into memory.
std::array<int, 3> cell_counts(const Vec3& width, const Vec3& least_width);

/// What a cell takes in a grid and while that is filled.
inline constexpr double bytes_per_cell = 24.0;

}  // namespace sterna::md
