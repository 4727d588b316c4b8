#include "process_grid.hpp"

#include <algorithm>
#include <set>

namespace sterna::bench {

std::array<int, 3> process_grid(int ranks) {
  std::array<int, 3> best{ranks, 1, 1};
  for (int x = 1; x <= ranks; ++x) {
    for (int y = 1; ranks % x == 0 && y <= x; ++y) {
      if ((ranks / x) % y != 0 || ranks / x / y > y) continue;
      const std::array<int, 3> grid{x, y, ranks / x / y};
      if (grid[0] - grid[2] < best[0] - best[2]) best = grid;
    }
  }
  return best;
}

std::vector<int> grid_neighbors(int rank, const std::array<int, 3>& grid, int axes) {
  const std::array<int, 3> at{rank % grid[0], rank / grid[0] % grid[1], rank / grid[0] / grid[1]};
  std::set<int> neighbors;
  for (int i = 0; i < 27; ++i) {
    const std::array<int, 3> step{i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
    if (std::ranges::count_if(step, [](int s) { return s != 0; }) > axes) continue;
    std::array<int, 3> to{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      to[axis] = (at[axis] + step[axis] + grid[axis]) % grid[axis];
    }
    neighbors.insert(to[0] + grid[0] * (to[1] + grid[1] * to[2]));
  }
  neighbors.erase(rank);
  return {neighbors.begin(), neighbors.end()};
}

}  // namespace sterna::bench
