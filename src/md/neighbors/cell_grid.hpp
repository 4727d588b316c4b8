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

/// The region of a rank, cut into cells at least as wide as the list radius (or one cell, if the
/// region is narrower). One layer of cells around them holds all ghosts of each side. The 27
/// cells around a particle's cell contain all its neighbors. Local particles and ghosts are each
/// sorted by cell (x fastest), and within a cell by x, so neighbors form few runs of ascending x.
/// Cells contain only particles of listed types. The other local particles follow behind the listed
/// ones, and likewise for ghosts, so that arrays for listed particles have no gaps. In a triclinic
/// box coordinates are unsheared.
class CellGrid {
 public:
  /// The expected number of particles on this rank, which limits the number of cells. It must stay
  /// the same in a run and when a run is resumed, because the order of particles depends on the
  /// cells. To be called before `set_region`.
  void set_expected_particles(double particles) { expected_particles_ = particles; }

  /// Sets the rank's region [low, high) in the unsheared coordinates of `shear`; internal length
  /// unit.
  void set_region(const Vec3& low, const Vec3& high, double list_radius, const Shear& shear = {});

  /// Sets for each type whether its particles are listed; empty: all are. To be called before the
  /// next `sort_local`.
  void set_listed_types(std::vector<char> listed) {
    is_listed_ = std::move(listed);
    has_unlisted_ = std::find(is_listed_.begin(), is_listed_.end(), 0) != is_listed_.end();
  }

  /// Whether there are types that are not listed.
  bool has_unlisted() const { return has_unlisted_; }
  /// Numbers of listed local particles and listed ghosts, which come first.
  std::uint32_t listed_local() const { return listed_local_; }
  std::uint32_t listed_ghosts() const { return listed_ghosts_; }
  /// Number of ghosts of listed types: the listed ones, followed by those beyond the half shell.
  std::uint32_t ghosts_of_listed_types() const { return ghosts_of_listed_types_; }

  /// Sorts the local particles, which must lie in the region. The sort is stable, so sorting a
  /// sorted store changes nothing. Drops the ghosts. `cell_of` and `source` are work space with one
  /// item per local particle; `room` has `sort_room` bytes per local particle.
  void sort_local(ParticleStore& particles, std::span<std::uint32_t> cell_of,
                  std::span<std::uint32_t> source, std::span<std::byte> room);
  static constexpr std::size_t sort_room = sizeof(Vec3);

  /// Assigns ghosts, given in any order, to the outer cells; `slots[k]` becomes the place of ghost
  /// k behind the local particles. `half_shell`, if given, says whether ghost k is listed; the
  /// other ghosts come behind all cells, in the order of `cells_beyond`.
  void place_ghosts(std::span<const Position> ghosts, std::size_t local_count,
                    std::vector<std::uint32_t>& slots,
                    std::optional<std::span<const char>> half_shell = {});

  /// Indices of local cells with particles: cells whose rows hold only local particles, and the
  /// others.
  std::span<const std::uint32_t> interior_cells() const { return interior_; }
  std::span<const std::uint32_t> boundary_cells() const { return boundary_; }
  /// Both kinds: every local cell with particles once, in the order of the grid.
  std::span<const std::uint32_t> local_cells() const { return local_; }

  const std::vector<CellRange>& cells() const { return cells_; }
  /// For each cell the ghosts of listed types beyond the half shell. Empty if all ghosts are
  /// listed.
  const std::vector<CellRange>& cells_beyond() const { return cells_beyond_; }
  int nx() const { return count_[0]; }
  int ny() const { return count_[1]; }
  int nz() const { return count_[2]; }
  /// The center as a position, not in unsheared coordinates like the corners.
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
  std::vector<std::pair<double, std::uint32_t>> by_x_;  ///< work space of sort_cell
};

}  // namespace sterna::md
