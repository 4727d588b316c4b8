#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Full rows of neighbors, of local particles and of ghosts, from a grid of cells of their own: for
/// potentials whose range differs from that of the neighbor list, or that need rows of ghosts.
class FullRows {
 public:
  /// Makes the rows of all local particles, which come first in `positions`, and of those ghosts that
  /// are at most `steps` neighbors away from a local particle. A row has all other particles and
  /// ghosts within `radius`; that of a ghost near the edge of the halo may lack some. `unlisted`: for
  /// each type, whether its particles are left out; empty: none are.
  void build(std::span<const Position> positions, std::size_t local_count, double radius, int steps,
             std::span<const char> unlisted = {});

  /// The neighbors of a particle or ghost; empty if it has no row.
  std::span<const std::uint32_t> row(std::size_t i) const {
    return {neighbors_.data() + begin_[i], end_[i] - begin_[i]};
  }
  /// The particles and ghosts with rows, by ascending places.
  std::span<const std::uint32_t> centers() const { return centers_; }
  std::size_t longest_row() const { return longest_; }

 private:
  void sort_into_cells(std::span<const Position> positions, double radius);
  void append_row(std::span<const Position> positions, std::uint32_t i, double radius);

  std::vector<std::uint32_t> neighbors_, centers_;
  std::vector<std::size_t> begin_, end_;
  std::size_t longest_ = 0;

  // Work space: the grid of cells, each at least as wide as the radius.
  Vec3 low_;
  double inverse_width_[3] = {};
  std::int64_t cells_[3] = {1, 1, 1};
  std::vector<std::uint32_t> cell_begin_, in_cells_;
  std::vector<char> left_out_;
};

}  // namespace sterna::md
