#pragma once

#include <cstddef>
#include <cstdint>

#include "md/core/vector.hpp"
#include "md/simd/kernel_getters.hpp"
#include "md/system/position.hpp"
#include "md/system/single_force.hpp"

namespace sterna::md {

/// A position on a grid with a spacing of 2^-30 of the region's extent, around its center.
/// Differences of two positions are exact integers, so single-precision pair arithmetic keeps its
/// relative accuracy in a region of any size (for fixed-point positions see Shaw et al., Anton,
/// ISCA 2007).
struct alignas(16) FixedPosition {
  std::int32_t x, y, z;
  std::int32_t type;
};

/// Positions are within this range on either side of the center. The dummy particle is beyond it,
/// far from every particle, but so that no difference overflows.
inline constexpr std::int32_t fixed_half_range = 1 << 29;
inline constexpr FixedPosition fixed_dummy{2 * fixed_half_range, 2 * fixed_half_range,
                                           2 * fixed_half_range, 0};

/// The range of a cell's particles in the store. Particles without pair forces are in no cell.
struct CellRange {
  std::uint32_t begin;
  std::uint32_t count;
};

/// Bounds of a cell's particles in y and z, relative to the region's center.
struct CellBounds {
  float y_low, y_high, z_low, z_high;
  static CellBounds none() { return {3.0e18f, -3.0e18f, 3.0e18f, -3.0e18f}; }
  void include(const CellBounds& other) {
    y_low = other.y_low < y_low ? other.y_low : y_low;
    y_high = other.y_high > y_high ? other.y_high : y_high;
    z_low = other.z_low < z_low ? other.z_low : z_low;
    z_high = other.z_high > z_high ? other.z_high : z_high;
  }
};

/// A nonnegative number in two bytes: the upper half of a float. Its bits ascend with the number,
/// so they can be compared as integers. It is rounded up by at most 1/128.
using CoarseNumber = std::uint16_t;
inline CoarseNumber coarse_above(float number) {
  return static_cast<CoarseNumber>((__builtin_bit_cast(std::uint32_t, number) + 0xffffu) >> 16);
}
/// A threshold for rounded numbers: if a number is at least `number`, its rounded value is at least
/// this.
inline CoarseNumber coarse_below(float number) {
  return static_cast<CoarseNumber>(__builtin_bit_cast(std::uint32_t, number) >> 16);
}

/// A neighbor in a compressed row. The upper 5 bits select the cell, out of the 27 around the row's
/// cell, where its run of particles begins; the lower 11 bits are the place within the run. Entries
/// take two bytes instead of four, because the list takes most of a run's memory and bandwidth.
inline constexpr int run_offset_bits = 11;
inline constexpr std::uint32_t run_length_limit = 1u << run_offset_bits;

/// Particles of a cell can share a row, which then holds the neighbors of all of them. The sizes of
/// a cell's groups differ by at most one.
inline constexpr std::uint32_t largest_group = 4;
inline std::uint32_t group_count(std::uint32_t particles, std::uint32_t largest) {
  return (particles + largest - 1) / largest;
}
inline std::uint32_t size_of_group(std::uint32_t particles, std::uint32_t groups, std::uint32_t g) {
  return particles / groups + (g < particles % groups ? 1u : 0u);
}

/// The number of consecutive entries per mask. In shared rows with excluded pairs, each particle of
/// the row has masks from the first entry on, up to the last one that any of them excludes. The particles themselves, which come first, are masked like excluded pairs.
inline constexpr std::uint32_t masked_together = 16;

/// Readable numbers behind a table of pairs of types, because kernels load a whole vector from the
/// begin of a type's row.
inline constexpr std::size_t behind_tables = 16;

/// How much work on the next neighbors a kernel overlaps with the present ones, as measured to be
/// fastest: nothing, their loads, or also the arithmetic up to the inverse powers of distances.
enum class Overlap { none, loads, arithmetic };

/// Work space of the list builder for the candidates of one cell. The arrays `chunk` are bounds of
/// chunks of consecutive candidates.
struct ListScratch {
  float *x, *y, *z;
  std::uint32_t* entry;
  float* chunk[6];       ///< x low, x high, y low, y high, z low, z high
  std::uint32_t* order;  ///< order of the cell's particles
};

/// All data that the list builder and pair kernels read and write. They are plain data, because a
/// file that is compiled for one instruction set must not instantiate code that other files share.
struct PairWork {
  // Particles: `total` of them, then one dummy particle beyond every cutoff.
  const Position* position;
  FixedPosition* fixed_position;  ///< mixed precision only
  double fixed_scale;             ///< length of one fixed-point step
  std::uint32_t local;
  std::uint32_t total;

  // Cells: (nx+2)(ny+2)(nz+2), x fastest; the outermost layer holds ghosts.
  const CellRange* cells;
  int nx, ny, nz;

  // The list, with one of the two entry arrays in use. A row of one particle holds its neighbors. A
  // shared row begins with its particles, followed by all other particles that are neighbors of any
  // of them.
  std::uint16_t* compressed;
  std::uint32_t* plain;
  std::uint32_t* row_begin;  ///< index of each row's first entry, by row number
  std::uint32_t group;       ///< 1, or the most particles that share a row
  bool half;                 ///< of two local particles only one has the other in its row
  /// In half lists, pairs with a particle at a lower place count fully. Pairs with other particles,
  /// which are ghosts, count half, because another row has the other half.
  std::uint32_t whole_below;
  /// Masks of shared rows; bit k of a mask is for the k-th of its entries; null without exclusions.
  /// Row number n has the masks from mask_begin[n] on: one for each particle for its first entries,
  /// then one for each particle for the next entries.
  const std::uint16_t* masks;
  const std::uint32_t* mask_begin;
  std::uint32_t* decoded;  ///< work space for a row plus some vectors

  // For building: single-precision coordinates relative to the region's center, with x ascending in
  // each run, and the radius of the list.
  const float *x, *y, *z;
  const float* unsheared_x;  ///< runs ascend in it in a triclinic box; otherwise null
  const CellBounds* bounds;  ///< for each of `cells`
  float list_radius_squared;
  ListScratch scratch;

  // Lennard-Jones: tables of type_count^2 with 12 c12 and 6 c6, as the force needs them. Like all
  // tables by types, each has `behind_tables` readable numbers behind it.
  int type_count;
  double cutoff_squared;
  double switch_start_squared;
  const double *twelve_c12, *six_c6, *energy_shift, *force_shift;
  const float *twelve_c12_single, *six_c6_single, *energy_shift_single, *force_shift_single;

  // Results, to which kernels add. Forces are those of all particles, ghosts and the dummy.
  Vec3* force;             ///< double precision
  SingleForce* collected;  ///< mixed precision; its length unit is the fixed-point step
  double energy;
  double virial[6];  ///< sum over pairs of r_a f_b: xx yy zz xy xz yz
};

/// The number of a cell's first row; its other rows follow. A row of one particle has the
/// particle's number. Since each cell begins a new row, there is up to one more shared row per cell
/// before. In `row_begin`, the end of a cell's last row follows its begin.
inline std::size_t first_row(const PairWork& work, std::size_t cell) {
  const std::size_t begin = work.cells[cell].begin;
  return work.group == 1 ? begin : begin / work.group + cell;
}

/// The places where the particles of the 27 cells around `cell` begin, for decoding a compressed
/// row. No cell's number of particles is needed, so there are no mispredicted branches in a gas,
/// where most cells are empty.
inline void gather_begins(const PairWork& work, std::size_t cell, std::uint32_t (&begins)[32]) {
  const std::ptrdiff_t row = work.nx + 2;
  const std::ptrdiff_t plane = row * (work.ny + 2);
  std::uint32_t* next = begins;
  for (std::ptrdiff_t dz = -1; dz <= 1; ++dz) {
    for (std::ptrdiff_t dy = -1; dy <= 1; ++dy) {
      const CellRange* column =
          work.cells + static_cast<std::ptrdiff_t>(cell) + dz * plane + dy * row;
      for (std::ptrdiff_t dx = -1; dx <= 1; ++dx) *next++ = column[dx].begin;
    }
  }
}

/// The kernels of one instruction set. `compute...` computes forces of the particles in the given
/// local cells from their rows, and energy and virial if asked.
struct PairKernels {
  const char* name;  ///< "avx512"
  /// Appends the rows of cells[0..cell_count) to the list at entry `used`. Returns the new `used`,
  /// or ~0 if the entries would exceed the capacity.
  std::size_t (*build)(PairWork&, const std::uint32_t* cells, std::size_t cell_count,
                       std::size_t used, std::size_t capacity);
  /// Displacements of particles [begin, end) from x, y, z, relative to `center`, to `position`.
  /// Returns the largest square, and writes each square to `squares`.
  double (*square_displacements)(const PairWork&, std::size_t begin, std::size_t end,
                                 const Vec3& center, CoarseNumber* squares);
  /// Writes to `out` those of [begin, end) whose entry in `squares` is at least `least`, and
  /// returns their number. `out` has space for all.
  std::size_t (*select_far)(const CoarseNumber* squares, std::size_t begin, std::size_t end,
                            CoarseNumber least, std::uint32_t* out);
  /// Decodes `count` entries from `first` on, in rows of the cell whose runs begin at `begins`,
  /// into places, followed by `masked_together` times the place of the dummy.
  void (*decode)(const PairWork&, const std::uint32_t (&begins)[32], std::size_t first,
                 std::size_t count, std::uint32_t* places);
  /// Writes to `out` the indices in the row of the places whose mark is not 0, and returns their
  /// number. Marks must be readable by four bytes.
  std::size_t (*select_marked)(const std::uint32_t* places, std::size_t count,
                               const std::uint8_t* marks, std::uint32_t* out);
  /// Forces from half lists, in double and in mixed precision.
  void (*compute_double)(PairWork&, const std::uint32_t* cells, std::size_t cell_count,
                         int truncation, bool with_energy);
  void (*compute_mixed)(PairWork&, const std::uint32_t* cells, std::size_t cell_count,
                        int truncation, bool with_energy);
  /// Sets force[begin..end) from collected[begin..end), converted to internal units, and clears the
  /// latter.
  void (*collect)(PairWork&, std::size_t begin, std::size_t end);
  /// Computes fixed_position[begin..end) from position[begin..end).
  void (*to_fixed)(PairWork&, std::size_t begin, std::size_t end, const Vec3& center);
};

STERNA_KERNEL_GETTERS(PairKernels, pair_kernels);

}  // namespace sterna::md
