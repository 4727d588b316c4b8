#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "md/core/shear.hpp"
#include "md/core/vector.hpp"
#include "md/neighbors/pair_work.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// A region cut into cells at least as wide as the list radius (or one cell, where the region is
/// narrower), with one layer around it that holds all ghosts of that side. The 27 cells around a
/// particle's cell hold all its neighbors. Local particles and ghosts are both kept in the order
/// of the cells (x fastest) and within a cell of x, so neighbors come in few runs that ascend in x.
/// Cells have the particles of listed types. The others come behind all these, local ones and ghosts
/// each, in the order of the cells: what is kept for listed particles has no gaps.
/// In a triclinic box all of that is so in unsheared coordinates.
class CellGrid {
 public:
  /// How many particles this rank may be expected to have: the number of cells is bounded by it. It
  /// must not change in a run or where one is resumed, as the order of particles follows from the
  /// cells. Before `set_region`.
  void set_expected_particles(double particles) { expected_particles_ = particles; }

  /// Region [low, high) of this rank in the unsheared coordinates of `shear`; lengths in the
  /// internal unit.
  void set_region(const Vec3& low, const Vec3& high, double list_radius, const Shear& shear = {});

  /// By type: whether particles are listed. Empty: all are. Before the next `sort_local`.
  void set_listed_types(std::vector<char> listed) {
    is_listed_ = std::move(listed);
    has_unlisted_ = std::find(is_listed_.begin(), is_listed_.end(), 0) != is_listed_.end();
  }

  /// Whether there are other types.
  bool has_unlisted() const { return has_unlisted_; }
  /// So many local particles, the first ones, are listed, and so many of the ghosts.
  std::uint32_t listed_local() const { return listed_local_; }
  std::uint32_t listed_ghosts() const { return listed_ghosts_; }
  /// So many ghosts, the first ones, are of listed types: the listed ones, then those beyond the
  /// half shell.
  std::uint32_t ghosts_of_listed_types() const { return ghosts_of_listed_types_; }

  /// Sorts the local particles, which must lie in the region; stable, so that sorting a sorted
  /// store changes nothing. Drops the ghosts. `cell_of` and `source` are scratch, one item each
  /// for every local particle, and `room` that of `sort_room` bytes for each.
  void sort_local(ParticleStore& particles, std::span<std::uint32_t> cell_of,
                  std::span<std::uint32_t> source, std::span<std::byte> room);
  static constexpr std::size_t sort_room = sizeof(Vec3);

  /// Places ghosts, given in any order, into the cells around: `slots[k]` is the position of
  /// ghost k behind the local particles. `half_shell`: where given, whether ghost k is listed; the
  /// others come behind the cells, in the order of `cells_beyond`.
  void place_ghosts(std::span<const Position> ghosts, std::size_t local_count,
                    std::vector<std::uint32_t>& slots,
                    std::optional<std::span<const char>> half_shell = {});

  /// Indices of local cells with particles: those whose rows hold local particles only, and the rest.
  std::span<const std::uint32_t> interior_cells() const { return interior_; }
  std::span<const std::uint32_t> boundary_cells() const { return boundary_; }
  /// Both: every such cell once, in the order of the grid.
  std::span<const std::uint32_t> local_cells() const { return local_; }

  const std::vector<CellRange>& cells() const { return cells_; }
  /// Of each cell, the ghosts of listed types beyond the half shell. Empty where all are listed.
  const std::vector<CellRange>& cells_beyond() const { return cells_beyond_; }
  int nx() const { return count_[0]; }
  int ny() const { return count_[1]; }
  int nz() const { return count_[2]; }
  /// A position, as opposed to the corners.
  Vec3 center() const { return shear_.position(0.5 * (low_ + high_)); }
  Vec3 low() const { return low_; }
  Vec3 high() const { return high_; }
  const Shear& shear() const { return shear_; }

 private:
  std::uint32_t local_cell(const Position& position) const;
  std::uint32_t ghost_cell(const Position& position) const;
  std::uint32_t index(int x, int y, int z) const {
    return static_cast<std::uint32_t>((z * (count_[1] + 2) + y) * (count_[0] + 2) + x);
  }
  void classify_cells();
  void sort_cell(std::span<std::uint32_t> cell, std::span<const Position> positions);
  bool is_listed(const Position& particle) const {
    return is_listed_.empty() || is_listed_[static_cast<std::size_t>(particle.type)] != 0;
  }

  Vec3 low_, high_, per_length_;
  Shear shear_;
  int count_[3] = {1, 1, 1};
  double expected_particles_ = std::numeric_limits<double>::infinity();
  std::vector<char> is_listed_;
  bool has_unlisted_ = false;
  std::uint32_t listed_local_ = 0, listed_ghosts_ = 0, ghosts_of_listed_types_ = 0;
  std::vector<CellRange> cells_, cells_beyond_;
  std::vector<std::uint32_t> interior_, boundary_, local_;
  std::vector<std::pair<double, std::uint32_t>> by_x_;  ///< scratch of sort_cell
};

}  // namespace sterna::md
