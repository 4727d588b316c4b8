#pragma once

#include <array>

#include "md/core/vector.hpp"

namespace sterna::md {

/// The number of cells along each axis of a region of this width; no cell is narrower than
/// `least_width`. If so few `particles` are expected that almost all cells would be empty, cells
/// are wider: a grid has at most 64 cells per particle, but 4096 are always allowed, and never more
/// than 4 million.
std::array<int, 3> cell_counts(const Vec3& width, const Vec3& least_width, double particles);

/// Memory per cell in the grid and during its filling.
inline constexpr double bytes_per_cell = 24.0;

}  // namespace sterna::md
