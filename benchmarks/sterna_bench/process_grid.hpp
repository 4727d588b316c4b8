#pragma once

#include <array>
#include <vector>

namespace sterna::bench {

/// Three factors of `ranks`, as equal as they can be, the largest first.
std::array<int, 3> process_grid(int ranks);

/// The ranks around `rank` on the periodic grid (x runs fastest), each once, ascending, without
/// `rank` itself: at faces (`axes` 1), also at edges (2), also at corners (3).
std::vector<int> grid_neighbors(int rank, const std::array<int, 3>& grid, int axes);

}  // namespace sterna::bench
