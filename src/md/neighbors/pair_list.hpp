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

/// One rank's particles as lists of their neighbors see them: in cells, and where each was when the
/// lists were built. The lists of all short-range terms share one.
struct ListedParticles {
  CellGrid grid;
  double extent = 0.0;  ///< as PairList::extent
  std::size_t local_count = 0, total_count = 0;
  bool half_shell = false;
  /// Positions at the last build relative to the region's center: for list building, and for the
  /// displacement since.
  AlignedBuffer<float> x, y, z;
  AlignedBuffer<float> unsheared_x;  ///< in a triclinic box only
  float farthest = 0.0f;             ///< coordinate of these, without sign
  std::vector<CellBounds> bounds;
  std::uint32_t longest_cell = 0;  ///< particles
};

/// The neighbors of one rank's particles: cell grid and rows with a skin. The row of a particle
/// holds all its neighbors, local ones and ghosts, by the distance of the positions (of molecules:
/// the centers of mass); particles may share a row, which then has the neighbors of all. Rebuild:
/// `sort_local`, then ghosts arrive in any order, `place_ghosts` gives their slots, then `build`.
/// What the rows are used for is not known here: see ShortRangeForces.
class PairList {
 public:
  /// `kernels`: the instruction set that builds rows; "auto", or std::invalid_argument where this
  /// machine does not have it. `group`: how many particles that are close to each other share a
  /// row, at most `largest_group`; four take half the memory of one.
  /// `half`: of two local particles that share no row, only one has the other in its row.
  explicit PairList(std::string_view kernels, std::uint32_t group = 1, bool half = false);
  /// A list of other rows for the same particles: those of `first`, which sorts and places them, and
  /// whose `build` comes before `build_rows` of this one. `list_radius`: at most that of `first`.
  PairList(const PairList& first, double list_radius, bool half);

  /// As CellGrid::set_expected_particles.
  void set_expected_particles(double particles) { listed_->grid.set_expected_particles(particles); }
  /// As CellGrid::set_region. `halo_width`: how far ghosts may be from the region, where that is
  /// more than the list radius.
  void set_region(const Vec3& low, const Vec3& high, double list_radius, const Shear& shear = {},
                  double halo_width = 0.0);
  /// By type: whether particles have rows and are in rows; empty: all. The others take up no room
  /// and no time here. Before the next `sort_local`.
  void set_listed_types(std::vector<char> listed) {
    listed_->grid.set_listed_types(std::move(listed));
  }
  /// Forces become scratch.
  void sort_local(ParticleStore& particles);
  /// `half_shell`: for each ghost, whether rows have it. Of two ranks with a pair across their
  /// border then only one has it in its list (Halo::half_shell).
  void place_ghosts(std::span<const Position> ghosts, std::size_t local_count,
                    std::vector<std::uint32_t>& slots,
                    std::optional<std::span<const char>> half_shell = {}) {
    listed_->grid.place_ghosts(ghosts, local_count, slots, half_shell);
    listed_->half_shell = half_shell.has_value();
  }
  bool half_shell() const { return listed_->half_shell; }
  /// Rows of all local particles, from the positions in the store (ghosts at their slots).
  void build(ParticleStore& particles);
  /// The second half of `build`.
  void build_rows();
  /// Of rows of one particle: leaves the neighbors of other pairs of types out. `kept`: types x types,
  /// symmetric.
  void keep_pairs_of_types(const ParticleStore& particles, std::span<const char> kept);

  /// Where nobody asks for displacements until the next `build`: gives memory back.
  void forget_positions();

  /// `excluded_of(i)`: places in the store of those whose pairs with the local particle i do not
  /// count, which may hold places that nobody has; i is among those of each of them. They are taken
  /// off rows of one particle, and masked in shared rows.
  template <class ExcludedOf>
  void exclude(const ExcludedOf& excluded_of);

  /// Cells whose rows hold local particles only, and the rest. With a half shell half of the interior
  /// is late: for the time after the boundary, while the forces on ghosts return.
  enum class Cells { interior, boundary, late_interior };
  static constexpr std::array all_cells{Cells::interior, Cells::boundary, Cells::late_interior};
  std::span<const std::uint32_t> cells(Cells which) const {
    if (which == Cells::boundary) return listed_->grid.boundary_cells();
    const auto interior = listed_->grid.interior_cells();
    const std::size_t late = listed_->half_shell ? interior.size() / 2 : 0;
    return which == Cells::late_interior ? interior.last(late)
                                         : interior.first(interior.size() - late);
  }
  /// Cells and rows as kernels read them; everything else in it is 0.
  PairWork rows() const;
  /// Calls visit(i, neighbors) for the particles i of these cells, cell by cell and, where no
  /// row is shared, in the order of the store; `neighbors` (std::span<const std::uint32_t>) are
  /// places in the store, ghosts behind the local ones, among them all within the list radius when
  /// the list was built: those beyond a cutoff are for the caller to leave out. Valid during the
  /// call; none that is excluded. In a half list, of two local particles that share no row only one
  /// has the other.
  template <class Visit>
  void for_each_row(Cells cells, Visit&& visit) const;

  struct Displacements {
    double largest;
    std::span<const std::uint32_t> far;  ///< particles; valid until the next call
  };
  /// Measures how far local particles [begin, end), which nobody moves before `displacements`, are
  /// from where they were at `build`. To be called while they are in the near caches.
  void measure_displacements(const ParticleStore& particles, std::size_t begin, std::size_t end);
  /// All have moved or will before `displacements`: what was measured is of no use any more.
  void forget_displacements() { measured_ = 0, largest_listed_ = largest_other_ = 0.0; }
  /// Of local particles since `build`: the largest, and who moved by at least `far`. Measures them
  /// unless all have been. `listed_only`: particles that are not listed count as if they had not
  /// moved, here and for ghosts until the next call.
  Displacements displacements(const ParticleStore& particles, double far, bool listed_only = false);
  /// The same of ghosts, which are where the store has them.
  Displacements ghost_displacements(const ParticleStore& particles, double far);
  /// Squares, rounded up, of what these two found last.
  const CoarseNumber* squared_displacements() const { return squared_displacement_.data(); }
  /// Of particle or ghost i since `build`.
  Vec3 displacement(const ParticleStore& particles, std::size_t i) const {
    return particles.position[i].vector() - listed_->grid.center() -
           Vec3{static_cast<double>(listed_->x[i]), static_cast<double>(listed_->y[i]),
                static_cast<double>(listed_->z[i])};
  }

  /// Neighbors that the kernels look at in a step: of all local particles, each with its row's.
  /// As many particles share a row at most.
  std::uint32_t group() const { return group_; }
  std::size_t neighbor_count() const { return entries_used_ * group_; }

  const CellGrid& grid() const { return listed_->grid; }
  double list_radius() const { return list_radius_; }
  /// Edge of a cube around the region's center in which all particles stay, with a margin of half
  /// a list radius beyond the halo.
  double extent() const { return listed_->extent; }

  /// Calls visit(i, j, squared distance) for every local i and every j within `radius` of it;
  /// ghosts included, so each pair of local particles comes twice. With a half shell this rank has
  /// some of the pairs across its border, each of them twice, too: i is the ghost then once.
  template <class Visit>
  void for_each_neighbor(const ParticleStore& particles, double radius, Visit&& visit) const;

 private:
  /// Places of one row's neighbors, in the order of the list.
  class RowReader;
  /// for_each_row that calls visit(i, neighbors, n): i shares its row with the first n of them.
  template <class Visit>
  void for_each_shared_row(Cells cells, Visit&& visit) const;
  /// Of pairs with particles of lower places the other rank has none.
  std::size_t whole_below() const {
    return listed_->half_shell ? listed_->total_count : listed_->local_count;
  }
  void place(ParticleStore& particles);
  /// Of rows of one particle: those stay whose `keeps(j)` is true between `begin_row(i)` and
  /// `end_row(i)`.
  template <class BeginRow, class Keeps, class EndRow>
  void keep_entries(const BeginRow& begin_row, const Keeps& keeps, const EndRow& end_row);
  /// So many numbers rows have at most.
  std::size_t row_count() const;
  /// An entry of the list goes to an earlier place; two change places.
  void move_entry(std::uint32_t from, std::uint32_t to) {
    use_compressed_ ? void(compressed_[to] = compressed_[from]) : void(plain_[to] = plain_[from]);
  }
  void swap_entries(std::uint32_t a, std::uint32_t b) {
    use_compressed_ ? std::swap(compressed_[a], compressed_[b]) : std::swap(plain_[a], plain_[b]);
  }
  /// Of a row whose first entries these particles, counted in it, exclude.
  void append_masks(std::span<const std::uint8_t> excluded, std::uint32_t size);
  /// Whether particle q of a shared row of `size` excludes its entry k.
  bool is_excluded(std::size_t row, std::uint32_t size, std::uint32_t q, std::uint32_t k) const;
  double square_displacements(const ParticleStore& particles, std::size_t begin, std::size_t end);
  std::span<const std::uint32_t> select_far(const ParticleStore& particles, std::size_t begin,
                                            std::size_t end, double far);

  const PairKernels& kernels_;
  std::uint32_t group_;  ///< particles that share a row, at most
  bool half_;
  double list_radius_ = 0.0;

  std::shared_ptr<ListedParticles> listed_;
  AlignedBuffer<std::uint16_t> compressed_;
  AlignedBuffer<std::uint32_t> plain_;
  bool use_compressed_ = true;
  std::size_t entries_built_ = 0, entries_used_ = 0;  ///< the latter without what was dropped
  AlignedBuffer<std::uint32_t> row_begin_;            ///< by the numbers of rows
  bool masked_ = false;
  std::vector<std::uint16_t> masks_;
  std::vector<std::uint32_t> mask_begin_;
  AlignedBuffer<std::uint32_t> decoded_;  ///< room for any row and some vectors
  AlignedBuffer<std::uint32_t> far_;
  AlignedBuffer<CoarseNumber> squared_displacement_;
  std::size_t measured_ = 0;  ///< local particles, by measure_displacements
  double largest_listed_ = 0.0, largest_other_ = 0.0;  ///< squared, of these
  bool listed_only_ = false;                           ///< in `displacements`
};

/// Reads the rows of one cell after the other.
class PairList::RowReader {
 public:
  explicit RowReader(const PairList& list) : kernels_(list.kernels_), rows_(list.rows()) {}
  void go_to_cell(std::uint32_t cell) {
    if (rows_.compressed != nullptr) gather_begins(rows_, cell, begins_);
  }
  /// The row of this number. The caller may change it.
  std::span<std::uint32_t> row(std::size_t number) {
    return row(rows_.row_begin[number], rows_.row_begin[number + 1]);
  }
  /// The same of entries [begin, end).
  std::span<std::uint32_t> row(std::uint32_t begin, std::uint32_t end) {
    // Kernels write whole vectors.
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
  // Of each place: which of a row's particles, counted in it, exclude it. None excludes the dummy.
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
        // Of half lists each pair of the row counts once.
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
      // The others of the group are among the neighbors of each.
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
