#pragma once

#include <cstddef>
#include <cstdint>

#include "md/forces/manybody/neighbor_rows.hpp"
#include "md/neighbors/pair_work.hpp"

namespace sterna::md {

/// So many numbers a bin of a table has: the coefficients of the density, then those of r times the
/// pair energy, so that both lie in one line of the cache.
inline constexpr std::size_t embedded_atom_line = 8;

/// What the kernels of the embedded-atom method read and write.
struct EmbeddedAtomWork {
  /// Half lists, where particles are, and the forces. In the second pass what stands for a
  /// particle's type are the bits of its dF/drho, of the precision of the positions.
  PairWork rows;

  int type_count;
  const std::uint32_t* type;  ///< of all particles and the dummy
  double per_distance;        ///< bins of a length
  std::uint32_t last_bin;     ///< of functions of the distance
  /// type_count^2 tables of `last_bin` + 1 lines, in one precision or the other: of an atom of the
  /// first type what one of the second gives to it, and their pair energy.
  const double* in_double;
  const float* in_single;

  // Embedding functions: type_count tables of so many bins, four coefficients each.
  const double* embedding;
  const double* is_embedded;  ///< by type: 1 or 0
  double per_density;         ///< bins of a density
  std::uint32_t last_density_bin;

  /// Of all particles and the dummy: their densities, then dF/drho. A vector behind them can be read.
  double* value;

  // What the first pass leaves for the second: neighbors within the cutoff, as offsets.
  std::uint32_t* near;
  std::uint32_t near_used;
  RowRange* near_rows;  ///< of local particles; `begin` is on a boundary of 64 bytes

  void* scratch;  ///< as many doubles as the rows of a cell have near neighbors, in whole vectors

  double embedding_energy;  ///< added to
};

/// Near neighbors of a row take up room for whole vectors of so many.
inline constexpr std::uint32_t near_together = 16;

/// One instruction set's kernels. Energies of pairs and virials are added to those of `rows`.
struct EmbeddedAtomKernels {
  const char* name;  ///< "avx512"
  /// Adds to the densities what the pairs in the rows of these cells give to both atoms.
  void (*add_up_densities)(EmbeddedAtomWork&, const std::uint32_t* cells, std::size_t cell_count,
                           bool mixed);
  /// Of the first `count` particles: dF/drho instead of the density; adds up the energy.
  void (*embed)(EmbeddedAtomWork&, std::size_t count);
  void (*compute_forces)(EmbeddedAtomWork&, const std::uint32_t* cells, std::size_t cell_count,
                         bool mixed, bool with_sums);
};

const EmbeddedAtomKernels& embedded_atom_kernels_baseline();
const EmbeddedAtomKernels& embedded_atom_kernels_avx2();
const EmbeddedAtomKernels& embedded_atom_kernels_avx512();

}  // namespace sterna::md
