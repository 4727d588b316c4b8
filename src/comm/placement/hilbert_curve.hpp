#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sterna::comm {

/// Returns the points of a grid (first coordinate fastest in their numbers) in the order in which a
/// Hilbert curve meets them. The curve goes through the smallest enclosing cube whose edge is a
/// power of two. If the grid is such a cube, consecutive points are neighbors. If a position on the
/// curve does not fit into 64 bits, the points are in the order of their numbers.
std::vector<int> along_hilbert_curve(std::span<const int> sizes);

}  // namespace sterna::comm
