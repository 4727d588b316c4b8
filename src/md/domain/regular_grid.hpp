#pragma once

#include <array>
#include <vector>

#include "md/domain/decomposition_method.hpp"

namespace sterna::md {

/// The box cut into `grid` equal parts along each edge, one for each rank. The rank number varies
/// fastest along x.
class RegularGrid final : public Decomposition {
 public:
  /// Chooses the grid whose regions have the smallest surface and so the fewest ghosts. Axes of
  /// `requested` that are not 0 are kept. Throws std::invalid_argument if an edge of the box is not
  /// positive, or if no grid of `rank_count` ranks has the requested axes.
  RegularGrid(const Box& box, int rank_count, std::array<int, 3> requested = {0, 0, 0});
  /// All grids with the smallest surface, among which the first one is chosen.
  static std::vector<std::array<int, 3>> of_least_surface(const Box& box, int rank_count,
                                                          const std::array<int, 3>& requested);

  const Box& box() const override { return box_; }
  int rank_count() const override { return grid_[0] * grid_[1] * grid_[2]; }
  Region region(int rank) const override;
  int owner(const Vec3& unsheared) const override;

  /// Ranks per axis.
  const std::array<int, 3>& grid() const { return grid_; }
  std::array<int, 3> coordinates(int rank) const;
  /// The rank at these coordinates, which are in [0, grid).
  int rank_at(const std::array<int, 3>& coordinates) const;
  /// The grid + 1 planes that cut the axis, from 0 to the box length. Adjacent regions share the
  /// identical number.
  const std::vector<double>& boundaries(int axis) const { return boundaries_[axis]; }
  /// The smallest width of a region on this axis.
  double smallest_width(int axis) const;

 private:
  int coordinate(int axis, double position) const;

  Box box_;
  std::array<int, 3> grid_;
  std::array<std::vector<double>, 3> boundaries_;
};

std::unique_ptr<Decomposition> make_regular_grid(const comm::Context& context,
                                                 const DecompositionRequest& request);

}  // namespace sterna::md
