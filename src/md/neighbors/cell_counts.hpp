#pragma once

#include <array>

#include "md/core/vector.hpp"

namespace sterna::md {

/// Cells along each axis of a region of this width, none narrower than `least_width`. Where so few
/// `particles` are expected in the region that almost all cells would be empty, cells are wider: a
/// grid has at most 64 cells for each particle, but 4096 in any case and never more than 4 million.
std::array<int, 3> cell_counts(const Vec3& width, const Vec3& least_width, double particles);

/// What a cell takes in a grid and while that is filled.
inline constexpr double bytes_per_cell = 24.0;

}  // namespace sterna::md
