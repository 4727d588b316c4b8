// Idea: cut the box into equal parts along x, y and z, as near to cubes as the rank count allows.
// Paper: Plimpton, J. Comput. Phys. 117 (1995) 1 (spatial decomposition).
// Cost: none; every rank computes all regions by arithmetic.
// Hazards: if the density is uneven, all ranks wait for the one with the fullest region.
// Another wins: `bisection` or `sampling`, if computing time differs between regions.
#include "md/domain/regular_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace sterna::md {

std::vector<std::array<int, 3>> RegularGrid::of_least_surface(const Box& box, int rank_count,
                                                              const std::array<int, 3>& requested) {
  // The surfaces of grids that are equal by symmetry differ by rounding.
  constexpr double rounding = 1e-12;
  std::vector<std::array<int, 3>> found;
  const Vec3 lean =
      box.shear().extent(1.0);  // ratio of a face's area to that in an orthorhombic box
  double least = std::numeric_limits<double>::infinity();
  // Grids with most cuts along z come first, then along y, because z is the slowest axis of the
  // cell order, so that boundary slabs across z are contiguous in memory.
  for (int x = 1; x <= rank_count; ++x) {
    if (rank_count % x != 0 || (requested[0] != 0 && requested[0] != x)) continue;
    const int rest = rank_count / x;
    for (int y = 1; y <= rest; ++y) {
      if (rest % y != 0 || (requested[1] != 0 && requested[1] != y)) continue;
      const int z = rest / y;
      if (requested[2] != 0 && requested[2] != z) continue;
      const double a = box.length.x / x, b = box.length.y / y, c = box.length.z / z;
      const double surface = a * b * lean.z + b * c * lean.x + c * a * lean.y;
      if (surface > least * (1.0 + rounding)) continue;
      if (surface < least * (1.0 - rounding)) {
        found.clear();
        least = surface;
      }
      found.push_back({x, y, z});
    }
  }
  return found;
}

RegularGrid::RegularGrid(const Box& box, int rank_count, std::array<int, 3> requested) : box_(box) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!(box.length[axis] > 0.0) || !std::isfinite(box.length[axis])) {
      throw std::invalid_argument(
          fmt::format("the box must have positive, finite edges, not {} x {} x {}", box.length.x,
                      box.length.y, box.length.z));
    }
  }
  if (rank_count < 1) {
    throw std::invalid_argument(fmt::format("a decomposition needs ranks, not {}", rank_count));
  }
  const auto grids = of_least_surface(box, rank_count, requested);
  if (grids.empty()) {
    const auto free = of_least_surface(box, rank_count, {0, 0, 0}).front();
    throw std::invalid_argument(fmt::format(
        "grid = [{}, {}, {}] does not divide {} ranks (0 leaves an axis free); "
        "[{}, {}, {}] would",
        requested[0], requested[1], requested[2], rank_count, free[0], free[1], free[2]));
  }
  grid_ = grids.front();
  for (int axis = 0; axis < 3; ++axis) {
    const int n = grid_[axis];
    auto& planes = boundaries_[axis];
    planes.resize(static_cast<std::size_t>(n) + 1);
    for (int i = 0; i < n; ++i) planes[static_cast<std::size_t>(i)] = box.length[axis] * i / n;
    planes.back() = box.length[axis];
  }
}

Region RegularGrid::region(int rank) const {
  const auto at = coordinates(rank);
  Region region;
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(at[axis]);
    region.lower[axis] = boundaries_[axis][i];
    region.upper[axis] = boundaries_[axis][i + 1];
  }
  return region;
}

int RegularGrid::coordinate(int axis, double position) const {
  const auto& planes = boundaries_[axis];
  const int n = grid_[axis];
  // At a plane the quotient may be off by one, so the planes themselves decide.
  const double guess = position / box_.length[axis] * n;
  int i = static_cast<int>(std::clamp(guess, 0.0, static_cast<double>(n - 1)));
  while (i > 0 && position < planes[static_cast<std::size_t>(i)]) --i;
  while (i < n - 1 && position >= planes[static_cast<std::size_t>(i) + 1]) ++i;
  return i;
}

int RegularGrid::owner(const Vec3& unsheared) const {
  return rank_at(
      {coordinate(0, unsheared.x), coordinate(1, unsheared.y), coordinate(2, unsheared.z)});
}

std::array<int, 3> RegularGrid::coordinates(int rank) const {
  return {rank % grid_[0], rank / grid_[0] % grid_[1], rank / (grid_[0] * grid_[1])};
}

int RegularGrid::rank_at(const std::array<int, 3>& coordinates) const {
  return coordinates[0] + grid_[0] * (coordinates[1] + grid_[1] * coordinates[2]);
}

double RegularGrid::smallest_width(int axis) const {
  const auto& planes = boundaries_[axis];
  double width = box_.length[axis];
  for (std::size_t i = 1; i < planes.size(); ++i)
    width = std::min(width, planes[i] - planes[i - 1]);
  return width;
}

std::unique_ptr<Decomposition> make_regular_grid(const comm::Context& context,
                                                 const DecompositionRequest& request) {
  return std::make_unique<RegularGrid>(request.box, context.size(), request.grid);
}

}  // namespace sterna::md
