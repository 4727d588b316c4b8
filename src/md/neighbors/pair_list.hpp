#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/energy_and_virial.hpp"
#include "md/neighbors/cell_grid.hpp"
#include "md/neighbors/pair_work.hpp"
#include "md/system/aligned_buffer.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// The particles of one rank as neighbor lists see them: their cells, and their positions when the
/// lists were built. The lists of all short-range terms share one object.
struct ListedParticles {
  CellGrid grid;
  double extent = 0.0;  ///< see PairList::extent
  std::size_t local_count = 0, total_count = 0;
  bool half_shell = false;
  /// Positions at the last build relative to the region's center, for building lists and for
  /// measuring displacements since.
  AlignedBuffer<float> x, y, z;
  AlignedBuffer<float> unsheared_x;  ///< only in a triclinic box
  float farthest = 0.0f;             ///< largest magnitude of these coordinates
  std::vector<CellBounds> bounds;
  std::uint32_t longest_cell = 0;  ///< the most particles in a cell
};

/// The neighbor list of one rank's particles: a cell grid, and rows that include the skin. The row
/// of a particle holds all its neighbors, local particles and ghosts, by the distance of positions
/// (for molecules: of the centers of mass). Particles may share a row, which then holds the
/// neighbors of all of them. A rebuild calls `sort_local`; then ghosts arrive in any order,
/// `place_ghosts` assigns their slots, and `build` builds the rows. The list does not know what its
/// rows are used for: see ShortRangeForces.
class PairList {
 public:
  /// `kernels` is the instruction set of the list builder, or "auto"; std::invalid_argument if this
  /// machine lacks it. `group` is how many particles close to each other share a row, at most
  /// `largest_group`; rows of four take half the memory of rows of one. `half`: of two local
  /// particles that share no row, only one has the other in its row.
  explicit PairList(std::string_view kernels, std::uint32_t group = 1, bool half = false);
  /// A list with other rows for the same particles. `first` sorts and places them, and its `build`
  /// must precede `build_rows` of this list. `list_radius` is at most that of `first`.
  PairList(const PairList& first, double list_radius, bool half);

  /// See CellGrid::set_expected_particles.
  void set_expected_particles(double particles) { listed_->grid.set_expected_particles(particles); }
  /// See CellGrid::set_region. `halo_width` is how far ghosts may be from the region, if this is
  /// more than the list radius.
  void set_region(const Vec3& low, const Vec3& high, double list_radius, const Shear& shear = {},
                  double halo_width = 0.0);
  /// Sets for each type whether its particles have rows and are in rows; empty: all are. Other
  /// particles cost neither memory nor time here. To be called before the next `sort_local`.
  void set_listed_types(std::vector<char> listed) {
    listed_->grid.set_listed_types(std::move(listed));
  }
  /// Returns the former place of each particle, valid until the list is built. Uses the memory of
  /// the forces as work space.
  std::span<const std::uint32_t> sort_local(ParticleStore& particles);
  /// `half_shell` says of each ghost whether it is in rows. Of two ranks with a pair across their
  /// border, only one then has the pair in its list (Halo::half_shell).
  void place_ghosts(std::span<const Position> ghosts, std::size_t local_count,
                    std::vector<std::uint32_t>& slots,
                    std::optional<std::span<const char>> half_shell = {}) {
    listed_->grid.place_ghosts(ghosts, local_count, slots, half_shell);
    listed_->half_shell = half_shell.has_value();
  }
  bool half_shell() const { return listed_->half_shell; }
  /// Builds the rows of all local particles from the positions in the store (ghosts at their
  /// slots).
  void build(ParticleStore& particles);
  /// The second half of `build`, after particles were placed.
  void build_rows();
  /// Removes neighbors of other pairs of types from rows of one particle. `kept`: types x types,
  /// symmetric.
  void keep_pairs_of_types(const ParticleStore& particles, std::span<const char> kept);

  /// Around which particles rows are built, and how far.
  struct Few {
    std::span<const std::uint32_t> places;  ///< in the store: local particles first, then ghosts
    std::span<const char> is_one;           ///< for each type
    /// types x types, symmetric; 0: rows have no such pairs
    std::span<const double> radius;
  };
  /// Builds rows of one particle that hold only pairs with at least one of the few. Their radii may
  /// be longer than a cell. It follows `build` of the first list, as `build_rows`.
  void build_rows_around(const ParticleStore& particles, const Few& few);
  /// Whether the rows are of this kind. They have no interior cells then, and a cell is a run of
  /// particles with rows.
  bool is_around_few() const { return around_few_; }

  /// Frees the coordinates, if nobody asks for displacements until the next `build`.
  void forget_positions();

  /// `excluded_of(i)` gives places in the store of the particles whose pairs with the local
  /// particle i are excluded; it may contain places outside the store. Exclusion must be mutual.
  /// Excluded pairs are removed from rows of one particle, and masked in shared rows.
  template <class ExcludedOf>
  void exclude(const ExcludedOf& excluded_of);

  /// Cells whose rows hold only local particles, and the other cells. With a half shell, half of
  /// the interior cells are late: they come after the boundary, while forces on ghosts return.
  enum class Cells { interior, boundary, late_interior };
  static constexpr std::array all_cells{Cells::interior, Cells::boundary, Cells::late_interior};
  std::span<const std::uint32_t> cells(Cells which) const {
    if (around_few_) {
      return which == Cells::boundary ? std::span<const std::uint32_t>(run_numbers_)
                                      : std::span<const std::uint32_t>();
    }
    if (which == Cells::boundary) return listed_->grid.boundary_cells();
    const auto interior = listed_->grid.interior_cells();
    const std::size_t late = listed_->half_shell ? interior.size() / 2 : 0;
    return which == Cells::late_interior ? interior.last(late)
                                         : interior.first(interior.size() - late);
  }
  /// Cells and rows in the form that kernels read; all other members are 0.
  PairWork rows() const;
  /// Calls visit(i, neighbors) for the particles i of these cells, cell by cell, and in the order
  /// of the store if no rows are shared. `neighbors` (std::span<const std::uint32_t>, valid during
  /// the call) are places in the store, with ghosts behind the local particles. They include all
  /// particles within the list radius when the list was built, without excluded ones; the caller
  /// must omit those beyond its cutoff. In a half list, of two local particles that share no row
  /// only one has the other.
  template <class Visit>
  void for_each_row(Cells cells, Visit&& visit) const;

  struct Displacements {
    double largest;
    std::span<const std::uint32_t> far;  ///< local particles; valid until the next call
  };
  /// Measures how far local particles [begin, end) are from their positions at `build`. They must
  /// not move again before `displacements`. It should be called while they are in the near caches.
  void measure_displacements(const ParticleStore& particles, std::size_t begin, std::size_t end);
  /// Discards measured displacements, because particles have moved since or will move before
  /// `displacements` is called.
  void forget_displacements() { measured_ = 0, largest_listed_ = largest_other_ = 0.0; }
  /// Displacements of local particles since `build`: the largest, and the particles that moved by
  /// at least `far`. Measures them unless `measure_displacements` has measured all. `listed_only`:
  /// particles that are not listed count as unmoved, here and for ghosts until the next call.
  Displacements displacements(const ParticleStore& particles, double far, bool listed_only = false);
  /// The same for ghosts, at their positions in the store.
  Displacements ghost_displacements(const ParticleStore& particles, double far);
  /// The squared displacements that the last calls of these two functions found, rounded up.
  const CoarseNumber* squared_displacements() const { return squared_displacement_.data(); }
  /// The displacement of particle or ghost i since `build`.
  Vec3 displacement(const ParticleStore& particles, std::size_t i) const {
    return particles.position[i].vector() - listed_->grid.center() -
           Vec3{static_cast<double>(listed_->x[i]), static_cast<double>(listed_->y[i]),
                static_cast<double>(listed_->z[i])};
  }

  /// Number of neighbors that the kernels process in a step, counting each row once per particle of
  /// it.
  /// The largest number of particles that share a row.
  std::uint32_t group() const { return group_; }
  std::size_t neighbor_count() const { return entries_used_ * group_; }

  const CellGrid& grid() const { return listed_->grid; }
  double list_radius() const { return list_radius_; }
  /// The edge of a cube around the region's center that contains all particles, with a margin of
  /// half a list radius beyond the halo.
  double extent() const { return listed_->extent; }

  /// Calls visit(i, j, squared distance) for every local i and every j within `radius` of it,
  /// ghosts included; so a pair of local particles comes twice. With a half shell this rank has
  /// only some of the pairs across its border; each comes twice, once with i as the ghost.
  template <class Visit>
  void for_each_neighbor(const ParticleStore& particles, double radius, Visit&& visit) const;

 private:
  /// Decodes rows into places of neighbors, in the order of the list.
  class RowReader;
  /// Like for_each_row, but calls visit(i, neighbors, n): i shares its row with the first n of
  /// them.
  template <class Visit>
  void for_each_shared_row(Cells cells, Visit&& visit) const;
  /// If the other particle of a pair has a place below this, no other rank has the pair.
  std::size_t whole_below() const {
    return listed_->half_shell ? listed_->total_count : listed_->local_count;
  }
  void place(ParticleStore& particles);
  /// For rows of one particle: keeps the entries for which `keeps(j)`, called between
  /// `begin_row(i)` and `end_row(i)`, is true.
  template <class BeginRow, class Keeps, class EndRow>
  void keep_entries(const BeginRow& begin_row, const Keeps& keeps, const EndRow& end_row);
  /// An upper limit of row numbers.
  std::size_t row_count() const;
  /// Moves an entry of the list to an earlier place; swaps two entries.
  void move_entry(std::uint32_t from, std::uint32_t to) {
    use_compressed_ ? void(compressed_[to] = compressed_[from]) : void(plain_[to] = plain_[from]);
  }
  void swap_entries(std::uint32_t a, std::uint32_t b) {
    use_compressed_ ? std::swap(compressed_[a], compressed_[b]) : std::swap(plain_[a], plain_[b]);
  }
  /// Appends the masks of a row. `excluded` has for each of its first entries a bit for each of its
  /// particles that excludes it.
  void append_masks(std::span<const std::uint8_t> excluded, std::uint32_t size);
  /// Whether particle q of a shared row of `size` excludes its entry k.
  bool is_excluded(std::size_t row, std::uint32_t size, std::uint32_t q, std::uint32_t k) const;
  double square_displacements(const ParticleStore& particles, std::size_t begin, std::size_t end);
  std::span<const std::uint32_t> select_far(const ParticleStore& particles, std::size_t begin,
                                            std::size_t end, double far);

  const PairKernels& kernels_;
  std::uint32_t group_;  ///< the most particles that share a row
  bool half_;
  double list_radius_ = 0.0;

  std::shared_ptr<ListedParticles> listed_;
  AlignedBuffer<std::uint16_t> compressed_;
  AlignedBuffer<std::uint32_t> plain_;
  bool use_compressed_ = true;
  std::size_t entries_built_ = 0, entries_used_ = 0;  ///< the latter without removed entries
  AlignedBuffer<std::uint32_t> row_begin_;            ///< by row number
  bool around_few_ = false;
  std::vector<CellRange> runs_;             ///< of particles with rows, if these are around few
  std::vector<std::uint32_t> run_numbers_;  ///< 0, 1, 2, ...
  bool masked_ = false;
  std::vector<std::uint16_t> masks_;
  std::vector<std::uint32_t> mask_begin_;
  AlignedBuffer<std::uint32_t> decoded_;  ///< work space for any row plus some vectors
  AlignedBuffer<std::uint32_t> far_;
  AlignedBuffer<CoarseNumber> squared_displacement_;
  std::size_t measured_ = 0;  ///< number of local particles measured so far
  double largest_listed_ = 0.0, largest_other_ = 0.0;  ///< their largest squares
  bool listed_only_ = false;                           ///< as in the last call of `displacements`
};

/// Decodes the rows of one cell after another.
class PairList::RowReader {
 public:
  explicit RowReader(const PairList& list) : kernels_(list.kernels_), rows_(list.rows()) {}
  void go_to_cell(std::uint32_t cell) {
    if (rows_.compressed != nullptr) gather_begins(rows_, cell, begins_);
  }
  /// The row with this number. The caller may change the returned places.
  std::span<std::uint32_t> row(std::size_t number) {
    return row(rows_.row_begin[number], rows_.row_begin[number + 1]);
  }
  /// The decoded entries [begin, end).
  std::span<std::uint32_t> row(std::uint32_t begin, std::uint32_t end) {
    // The kernel writes whole vectors, so it needs space behind the row.
    places_.reserve(end - begin + 2 * masked_together);
    kernels_.decode(rows_, begins_, begin, end - begin, places_.data());
    return {places_.data(), end - begin};
  }

 private:
  const PairKernels& kernels_;
  PairWork rows_;
  std::uint32_t begins_[32];
  AlignedBuffer<std::uint32_t> places_;
};

template <class BeginRow, class Keeps, class EndRow>
void PairList::keep_entries(const BeginRow& begin_row, const Keeps& keeps, const EndRow& end_row) {
  RowReader reader(*this);
  std::uint32_t begin = 0, kept = 0;
  for (const std::uint32_t cell : listed_->grid.local_cells()) {
    reader.go_to_cell(cell);
    const CellRange range = listed_->grid.cells()[cell];
    for (std::uint32_t i = range.begin; i < range.begin + range.count; ++i) {
      const std::uint32_t end = row_begin_[i + 1];
      const std::span<const std::uint32_t> row = reader.row(begin, end);
      row_begin_[i] = kept;
      begin_row(i);
      for (std::uint32_t k = begin; k < end; ++k) {
        if (keeps(row[k - begin])) move_entry(k, kept++);
      }
      end_row(i);
      begin = end;
    }
    row_begin_[range.begin + range.count] = kept;
  }
  row_begin_[listed_->grid.listed_local()] = kept;
  entries_used_ = kept;
}

template <class ExcludedOf>
void PairList::exclude(const ExcludedOf& excluded_of) {
  // For each place: a mask of the row's particles that exclude it. The dummy is never excluded.
  std::vector<std::uint8_t> marks(listed_->total_count + sizeof(std::uint32_t), 0);
  const auto mark = [&](std::uint32_t particle, std::uint32_t bits) {
    for (const std::uint32_t place : excluded_of(particle)) {
      if (place < listed_->total_count)
        marks[place] = static_cast<std::uint8_t>(marks[place] ^ bits);
    }
  };
  if (group_ == 1) {
    const auto toggle = [&](std::uint32_t i) { mark(i, 1); };
    keep_entries(
        toggle, [&](std::uint32_t j) { return marks[j] == 0; }, toggle);
    return;
  }
  RowReader reader(*this);
  masked_ = true;
  masks_.clear();
  mask_begin_.resize(row_count() + 1);
  const PairWork work = rows();
  std::vector<std::uint8_t> of_entries;
  AlignedBuffer<std::uint32_t> marked;
  for (const std::uint32_t cell : listed_->grid.local_cells()) {
    reader.go_to_cell(cell);
    const CellRange range = listed_->grid.cells()[cell];
    const std::uint32_t groups = group_count(range.count, group_);
    const std::size_t first = first_row(work, cell);
    for (std::uint32_t g = 0; g < groups; ++g) {
      const std::size_t number = first + g;
      const std::uint32_t begin = row_begin_[number];
      const std::span<const std::uint32_t> row = reader.row(number);
      const std::uint32_t size = size_of_group(range.count, groups, g);
      for (std::uint32_t q = 0; q < size; ++q) mark(row[q], 1u << q);
      of_entries.clear();
      for (std::uint32_t q = 0; q < size; ++q) {
        // A half list counts each pair within the row once, so entry q is masked for particles q
        // and later.
        const std::uint32_t own = half_ ? 0xffu << q : 1u << q;
        of_entries.push_back(static_cast<std::uint8_t>(marks[row[q]] | own));
      }
      const std::span<const std::uint32_t> others = row.subspan(size);
      marked.reserve(others.size());
      const std::size_t found =
          kernels_.select_marked(others.data(), others.size(), marks.data(), marked.data());
      for (std::size_t k = 0; k < found; ++k) {
        swap_entries(begin + size + marked[k],
                     begin + static_cast<std::uint32_t>(of_entries.size()));
        of_entries.push_back(marks[others[marked[k]]]);
      }
      for (std::uint32_t q = 0; q < size; ++q) mark(row[q], 1u << q);
      mask_begin_[number] = static_cast<std::uint32_t>(masks_.size());
      append_masks(of_entries, size);
    }
    mask_begin_[first + groups] = static_cast<std::uint32_t>(masks_.size());
  }
}

template <class Visit>
void PairList::for_each_row(Cells which, Visit&& visit) const {
  for_each_shared_row(which, [&](std::uint32_t i, std::span<const std::uint32_t> neighbors,
                                 std::uint32_t) { visit(i, neighbors); });
}

template <class Visit>
void PairList::for_each_shared_row(Cells which, Visit&& visit) const {
  RowReader reader(*this);
  const PairWork work = rows();
  std::vector<std::uint32_t> counted;
  for (const std::uint32_t cell : cells(which)) {
    reader.go_to_cell(cell);
    const CellRange range = listed_->grid.cells()[cell];
    const std::uint32_t groups = group_count(range.count, group_);
    const std::size_t first = first_row(work, cell);
    for (std::uint32_t g = 0; g < groups; ++g) {
      const std::span<const std::uint32_t> row = reader.row(first + g);
      if (group_ == 1) {
        visit(range.begin + g, row, 0u);
        continue;
      }
      // Each particle's neighbors include the others that share its row.
      const std::uint32_t size = size_of_group(range.count, groups, g);
      for (std::uint32_t q = 0; q < size; ++q) {
        std::uint32_t mates = 0;
        counted.clear();
        for (std::uint32_t k = 0; k < row.size(); ++k) {
          if (k == q || is_excluded(first + g, size, q, k)) continue;
          if (k < size) ++mates;
          counted.push_back(row[k]);
        }
        visit(row[q], std::span<const std::uint32_t>(counted), mates);
      }
    }
  }
}

template <class Visit>
void PairList::for_each_neighbor(const ParticleStore& particles, double radius,
                                 Visit&& visit) const {
  for (const Cells which : all_cells) {
    for_each_shared_row(
        which, [&](std::uint32_t i, std::span<const std::uint32_t> neighbors, std::uint32_t mates) {
          for (std::uint32_t k = 0; k < neighbors.size(); ++k) {
            const std::uint32_t j = neighbors[k];
            const Vec3 d = particles.position[i].vector() - particles.position[j].vector();
            const double r2 = dot(d, d);
            if (r2 >= radius * radius) continue;
            visit(i, j, r2);
            if (half_ && k >= mates && j < whole_below()) visit(j, i, r2);
          }
        });
  }
}

}  // namespace sterna::md
