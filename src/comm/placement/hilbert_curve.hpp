#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sterna::comm {

/// The points of a grid (first coordinate fastest in their numbers) in the order in which a Hilbert
/// curve through the smallest enclosing cube of a power of two meets them. Each two points that
/// follow one another are neighbors where the grid is such a cube itself. In the order of their
/// numbers where a position on the curve would not fit into 64 bits.
std::vector<int> along_hilbert_curve(std::span<const int> sizes);

}  // namespace sterna::comm
