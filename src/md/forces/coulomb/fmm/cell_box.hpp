#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace sterna::md {

/// Integer coordinates of a cell of a regular grid.
using Cells = std::array<int, 3>;

/// The cells from `lower` up to, but without, `upper` along each axis; x varies fastest in memory.
struct CellBox {
  Cells lower{}, upper{};

  friend bool operator==(const CellBox&, const CellBox&) = default;
  int extent(int axis) const { return std::max(0, upper[axis] - lower[axis]); }
  bool empty() const { return extent(0) == 0 || extent(1) == 0 || extent(2) == 0; }
  std::size_t count() const {
    return static_cast<std::size_t>(extent(0)) * static_cast<std::size_t>(extent(1)) *
           static_cast<std::size_t>(extent(2));
  }
  std::size_t index(const Cells& cell) const {
    return (static_cast<std::size_t>(cell[2] - lower[2]) * static_cast<std::size_t>(extent(1)) +
            static_cast<std::size_t>(cell[1] - lower[1])) *
               static_cast<std::size_t>(extent(0)) +
           static_cast<std::size_t>(cell[0] - lower[0]);
  }
  /// The cell with this index.
  Cells cell(std::size_t index) const {
    const auto columns = static_cast<std::size_t>(extent(0)),
               rows = static_cast<std::size_t>(extent(1));
    return {lower[0] + static_cast<int>(index % columns),
            lower[1] + static_cast<int>(index / columns % rows),
            lower[2] + static_cast<int>(index / columns / rows)};
  }
  CellBox shifted(const Cells& by) const {
    CellBox box = *this;
    for (int axis = 0; axis < 3; ++axis) box.lower[axis] += by[axis], box.upper[axis] += by[axis];
    return box;
  }
  /// The box with so many more cells at each face. Empty boxes stay empty.
  CellBox grown(int cells) const {
    if (empty()) return *this;
    CellBox box = *this;
    for (int axis = 0; axis < 3; ++axis) box.lower[axis] -= cells, box.upper[axis] += cells;
    return box;
  }
  CellBox children() const {
    CellBox box = *this;
    for (int axis = 0; axis < 3; ++axis) box.lower[axis] *= 2, box.upper[axis] *= 2;
    return box;
  }
  /// The box of the parents of these cells, whose coordinates must not be negative.
  CellBox parents() const {
    CellBox box = *this;
    for (int axis = 0; axis < 3; ++axis) {
      box.lower[axis] /= 2, box.upper[axis] = (box.upper[axis] + 1) / 2;
    }
    return box;
  }
  static CellBox grid(const Cells& size) { return {{0, 0, 0}, size}; }

  template <class Function>
  void for_each(Function function) const {
    for (int z = lower[2]; z < upper[2]; ++z)
      for (int y = lower[1]; y < upper[1]; ++y)
        for (int x = lower[0]; x < upper[0]; ++x) function(Cells{x, y, z});
  }
};

/// The cell of a periodic grid of which a cell is an image. The cell may lie beyond the grid by
/// less than the grid's size.
inline Cells wrapped(const Cells& cell, const Cells& grid) {
  return {(cell[0] + grid[0]) % grid[0], (cell[1] + grid[1]) % grid[1],
          (cell[2] + grid[2]) % grid[2]};
}

/// The smallest box inside a periodic grid that has all cells of which those of `box` are images.
inline CellBox covering_images(CellBox box, const Cells& grid) {
  for (int axis = 0; axis < 3; ++axis) {
    if (box.lower[axis] >= 0 && box.upper[axis] <= grid[axis]) continue;
    box.lower[axis] = 0, box.upper[axis] = grid[axis];
  }
  return box;
}

inline CellBox intersection(const CellBox& a, const CellBox& b) {
  CellBox box;
  for (int axis = 0; axis < 3; ++axis) {
    box.lower[axis] = std::max(a.lower[axis], b.lower[axis]);
    box.upper[axis] = std::min(a.upper[axis], b.upper[axis]);
  }
  return box;
}

}  // namespace sterna::md
