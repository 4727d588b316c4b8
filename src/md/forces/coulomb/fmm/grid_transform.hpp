#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "md/forces/coulomb/fmm/cell_box.hpp"

namespace sterna::md {

/// The discrete Fourier transform of real values on a periodic grid of cells:
///   wave(k) = sum over cells n of value(n) exp(-2 pi i k . n / grid).
/// Only one of the waves k and -k is kept: k_z is 0 to grid_z / 2. It is computed as direct sums
/// along one axis after the other, which for grids of a few dozen cells are as fast as factored
/// transforms and allow any size.
template <class Real>
struct GridTransform {
  explicit GridTransform(const Cells& cells) : grid(cells) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (int j = 0; j < grid[axis]; ++j) {
        const double angle = 2.0 * std::numbers::pi * j / grid[axis];
        cosines[axis].push_back(static_cast<Real>(std::cos(angle)));
        sines[axis].push_back(static_cast<Real>(std::sin(angle)));
      }
    }
  }

  std::size_t cells() const { return CellBox::grid(grid).count(); }
  /// The waves that are kept, x varying fastest.
  CellBox waves() const { return CellBox::grid({grid[0], grid[1], grid[2] / 2 + 1}); }
  /// The number of waves that a kept wave represents: itself, and -k if that is not kept.
  double weight(const Cells& wave) const {
    return wave[2] == 0 || 2 * wave[2] == grid[2] ? 1.0 : 2.0;
  }

  Cells grid;
  std::array<std::vector<Real>, 3> cosines, sines;  ///< of 2 pi j / grid for j < grid
};

}  // namespace sterna::md
