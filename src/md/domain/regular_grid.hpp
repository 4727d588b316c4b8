#pragma once

#include <array>
#include <vector>

#include "md/domain/decomposition_method.hpp"

namespace sterna::md {

/// The box cut into `grid` equal parts along each edge, one for each rank; x varies fastest with
/// the rank.
class RegularGrid final : public Decomposition {
 public:
  /// Chooses the grid whose regions have the least surface, hence the fewest ghosts. Axes of
  /// `requested` that are not 0 are kept. Throws std::invalid_argument where the box has an edge
  /// that is not positive, or no grid of `rank_count` ranks has the requested axes.
  RegularGrid(const Box& box, int rank_count, std::array<int, 3> requested = {0, 0, 0});
  /// The grids that it may choose among: those of the same least surface. The first is its choice.
  static std::vector<std::array<int, 3>> of_least_surface(const Box& box, int rank_count,
                                                          const std::array<int, 3>& requested);

  const Box& box() const override { return box_; }
  int rank_count() const override { return grid_[0] * grid_[1] * grid_[2]; }
  Region region(int rank) const override;
  int owner(const Vec3& unsheared) const override;

  /// Ranks per axis.
  const std::array<int, 3>& grid() const { return grid_; }
  std::array<int, 3> coordinates(int rank) const;
  /// Coordinates in [0, grid).
  int rank_at(const std::array<int, 3>& coordinates) const;
  /// The grid + 1 planes that cut the axis, from 0 to the length of the box: neighbors share the
  /// very same number.
  const std::vector<double>& boundaries(int axis) const { return boundaries_[axis]; }
  /// Smallest width of a region on that axis.
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
