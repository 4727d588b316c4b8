#pragma once

#include <cstddef>
#include <cstdint>

#include "md/core/vector.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/single_force.hpp"

namespace sterna::md {

/// Position on a grid of 2^-30 of the region's extent, around its center. Differences of two are
/// exact integers, so single-precision pair arithmetic keeps its relative accuracy however large
/// the region is (the idea of fixed-point positions: Shaw et al., Anton, ISCA 2007).
struct alignas(16) FixedPosition {
  std::int32_t x, y, z;
  std::int32_t type;
};

/// Positions reach so far to either side of the center, and a dummy stands beyond them: far from
/// every particle, and no difference overflows.
inline constexpr std::int32_t fixed_half_range = 1 << 29;
inline constexpr FixedPosition fixed_dummy{2 * fixed_half_range, 2 * fixed_half_range,
                                           2 * fixed_half_range, 0};

/// Where the particles of a cell lie in the store. Particles without pair forces are in none.
struct CellRange {
  std::uint32_t begin;
  std::uint32_t count;
};

/// Extent of a cell's particles across x, relative to the region's center.
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

/// A number that is not negative in two bytes: the upper half of a float, whose bits ascend with it,
/// so that it is enough to compare them. Rounded up by at most 1/128 of it.
using CoarseNumber = std::uint16_t;
inline CoarseNumber coarse_above(float number) {
  return static_cast<CoarseNumber>((__builtin_bit_cast(std::uint32_t, number) + 0xffffu) >> 16);
}
/// What is at least `number` is at least this when rounded up, too.
inline CoarseNumber coarse_below(float number) {
  return static_cast<CoarseNumber>(__builtin_bit_cast(std::uint32_t, number) >> 16);
}

/// A neighbor in a compressed row: which of the 27 cells around the row's cell its run of particles
/// begins in, in the upper 5 bits, the place within the run in the lower 11. Two bytes instead of
/// four: the list is most of the memory of a run, and its bandwidth.
inline constexpr int run_offset_bits = 11;
inline constexpr std::uint32_t run_length_limit = 1u << run_offset_bits;

/// Particles of a cell can share a row, which then holds the neighbors of all of them; these groups
/// are of equal size, up to one.
inline constexpr std::uint32_t largest_group = 4;
inline std::uint32_t group_count(std::uint32_t particles, std::uint32_t largest) {
  return (particles + largest - 1) / largest;
}
inline std::uint32_t size_of_group(std::uint32_t particles, std::uint32_t groups, std::uint32_t g) {
  return particles / groups + (g < particles % groups ? 1u : 0u);
}

/// Where molecules exclude pairs, rows that particles share have masks: one for each of these
/// particles and each so many entries, from the row's first on, among which are all that some of
/// them exclude. The particles themselves, which come first, are masked like excluded pairs.
inline constexpr std::uint32_t masked_together = 16;

/// So many numbers behind a table of pairs of types can be read: kernels load a vector from where
/// the row of a type begins.
inline constexpr std::size_t behind_tables = 16;

/// What of the next neighbors a kernel begins while it computes with those before, by measurement:
/// nothing, to load them, or also what leads up to the powers of their distances.
enum class Overlap { none, loads, arithmetic };

/// Room of the list builder for the candidates of one cell's rows. `chunk` arrays: bounds of some
/// candidates that follow each other.
struct ListScratch {
  float *x, *y, *z;
  std::uint32_t* entry;
  float* chunk[6];       ///< x low, x high, y low, y high, z low, z high
  std::uint32_t* order;  ///< of the cell's particles
};

/// Everything that list building and pair kernels read and write. Plain data, because the files
/// compiled for one instruction set must not instantiate code that others share.
struct PairWork {
  // Particles; `total` of them, then one dummy beyond every cutoff.
  const Position* position;
  FixedPosition* fixed_position;  ///< mixed precision only
  double fixed_scale;             ///< length of one fixed-point step
  std::uint32_t local;
  std::uint32_t total;

  // Cells: (nx+2)(ny+2)(nz+2) of them, x fastest, the outermost layer holds ghosts.
  const CellRange* cells;
  int nx, ny, nz;

  // The list; one of the two entry arrays is in use. A row of one particle holds its neighbors; one
  // of a group begins with its particles, then come all others that are neighbors of any of them.
  std::uint16_t* compressed;
  std::uint32_t* plain;
  std::uint32_t* row_begin;  ///< places in the entries, by the numbers of rows
  std::uint32_t group;       ///< 1, or how many particles share a row at most
  bool half;                 ///< of two local particles only one has the other in its row
  /// Pairs with particles of lower places count whole in half lists; of the others, ghosts, another
  /// row has the other half.
  std::uint32_t whole_below;
  /// Masks of shared rows, bit k of one for the k-th of its entries; null where nothing is excluded.
  /// Those of a row lie as `row_begin` has its entries, the particles' of its first entries first.
  const std::uint16_t* masks;
  const std::uint32_t* mask_begin;
  std::uint32_t* decoded;  ///< room for a row and some vectors

  // Building: single-precision coordinates relative to the region's center, in which
  // the particles of a run ascend in x; radius of the list.
  const float *x, *y, *z;
  const float* unsheared_x;  ///< in a triclinic box, where runs ascend in this instead; or nullptr
  const CellBounds* bounds;  ///< of each of `cells`
  float list_radius_squared;
  ListScratch scratch;

  // Lennard-Jones: tables of type_count^2; 12 c12 and 6 c6, as the force needs them. Behind each of
  // them lies `behind_tables`, as behind all tables that are looked up by types.
  int type_count;
  double cutoff_squared;
  double switch_start_squared;
  const double *twelve_c12, *six_c6, *energy_shift, *force_shift;
  const float *twelve_c12_single, *six_c6_single, *energy_shift_single, *force_shift_single;

  // Results, which are added to. Forces are those of all particles, ghosts and the dummy.
  Vec3* force;             ///< double precision
  SingleForce* collected;  ///< mixed precision, where a length is counted in fixed-point steps
  double energy;
  double virial[6];  ///< sum over pairs of r_a f_b: xx yy zz xy xz yz
};

/// The number of a cell's first row; the others follow. Rows of one particle have its number. Cells
/// begin a new row each, so that of shared rows there are one more for each cell before, at most.
/// `row_begin` has the end of a cell's last row behind its begin.
inline std::size_t first_row(const PairWork& work, std::size_t cell) {
  const std::size_t begin = work.cells[cell].begin;
  return work.group == 1 ? begin : begin / work.group + cell;
}

/// Where the particles of the 27 cells around `cell` begin, by slot: what decodes a compressed row.
/// It depends on no cell's number of particles, so that in a gas, where most cells are empty,
/// nothing has to be guessed.
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

/// One instruction set's kernels. `compute`: forces of the particles of the given local cells from
/// their rows; energy and virial where asked.
struct PairKernels {
  const char* name;  ///< "avx512"
  /// Appends the rows of cells[0..cell_count) to the list at entry `used`; returns the new `used`,
  /// or ~0 where the row capacity would be passed.
  std::size_t (*build)(PairWork&, const std::uint32_t* cells, std::size_t cell_count,
                       std::size_t used, std::size_t capacity);
  /// Of particles [begin, end), from x, y, z (and `center`, the origin of these) to `position`: the
  /// largest squared displacement. That of each is written to `squares`.
  double (*square_displacements)(const PairWork&, std::size_t begin, std::size_t end,
                                 const Vec3& center, CoarseNumber* squares);
  /// Writes those of [begin, end) whose number in `squares` is at least `least` to `out`, which has
  /// room for all; returns how many they are.
  std::size_t (*select_far)(const CoarseNumber* squares, std::size_t begin, std::size_t end,
                            CoarseNumber least, std::uint32_t* out);
  /// The places of `count` entries from `first` on, of rows of the cell whose neighbors begin at
  /// `begins`, and behind them `masked_together` times that of the dummy.
  void (*decode)(const PairWork&, const std::uint32_t (&begins)[32], std::size_t first,
                 std::size_t count, std::uint32_t* places);
  /// Writes to `out` which of these, counted in the row, have a mark other than 0, by place; returns
  /// how many. Marks can be read four bytes at a time.
  std::size_t (*select_marked)(const std::uint32_t* places, std::size_t count,
                               const std::uint8_t* marks, std::uint32_t* out);
  /// Both from half lists.
  void (*compute_double)(PairWork&, const std::uint32_t* cells, std::size_t cell_count,
                         int truncation, bool with_energy);
  void (*compute_mixed)(PairWork&, const std::uint32_t* cells, std::size_t cell_count,
                        int truncation, bool with_energy);
  /// force[begin..end) from collected[begin..end), which become 0.
  void (*collect)(PairWork&, std::size_t begin, std::size_t end);
  /// fixed_position[begin..end) from position[begin..end).
  void (*to_fixed)(PairWork&, std::size_t begin, std::size_t end, const Vec3& center);
};

const PairKernels& pair_kernels_baseline();
const PairKernels& pair_kernels_avx2();
const PairKernels& pair_kernels_avx512();

}  // namespace sterna::md
