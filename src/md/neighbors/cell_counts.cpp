#include "md/neighbors/cell_counts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sterna::md {
namespace {

/// The most cells of a grid, about 100 MB. For comparison: a liquid with usual cutoffs has some 20
/// particles in each cell.
constexpr double most_of_all = 4194304.0;
/// With this many cells per particle, droplets in a vapor of a thousand times their volume still
/// have cells as narrow as the list radius.
constexpr double most_for_each_particle = 64.0;
/// This many cells are always allowed, because they take no noticeable time.
constexpr double always_possible = 4096.0;

}  // namespace

std::array<int, 3> cell_counts(const Vec3& width, const Vec3& least_width, double particles) {
  const double most_cells =
      std::clamp(most_for_each_particle * particles, always_possible, most_of_all);
  std::array<double, 3> wanted{};
  for (int axis = 0; axis < 3; ++axis) {
    wanted[static_cast<std::size_t>(axis)] =
        std::max(1.0, std::floor(width[axis] / std::max(least_width[axis], 1e-9 * width[axis])));
  }
  // Reduce the axes with the most cells first, so that an axis with few cells keeps them.
  for (;;) {
    const double all = wanted[0] * wanted[1] * wanted[2];
    if (all <= most_cells) break;
    const double finest = std::max({wanted[0], wanted[1], wanted[2]});
    std::array<bool, 3> is_fine{};
    int fine = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      is_fine[axis] = wanted[axis] > 0.5 * finest;
      fine += is_fine[axis] ? 1 : 0;
    }
    const double factor = std::max(0.5, std::pow(most_cells / all, 1.0 / fine));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (is_fine[axis]) wanted[axis] = std::max(1.0, std::floor(wanted[axis] * factor));
    }
  }
  return {static_cast<int>(wanted[0]), static_cast<int>(wanted[1]), static_cast<int>(wanted[2])};
}

}  // namespace sterna::md
