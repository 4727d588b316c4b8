#pragma once

#include <cstddef>
#include <cstdint>

#include "md/forces/manybody/neighbor_rows.hpp"
#include "md/neighbors/pair_work.hpp"
#include "md/simd/kernel_getters.hpp"

namespace sterna::md {

/// The numbers in a bin of a table: the coefficients of the density, then those of r times the pair
/// energy, so that both are in one cache line.
inline constexpr std::size_t embedded_atom_line = 8;

/// The data that the kernels of the embedded-atom method read and write.
struct EmbeddedAtomWork {
  /// Half lists, positions and forces. In the second pass the bits of a particle's type are
  /// replaced by those of its dF/drho, in the precision of the positions.
  PairWork rows;

  int type_count;
  const std::uint32_t* type;  ///< of all particles and the dummy
  double per_distance;        ///< bins per length
  std::uint32_t last_bin;     ///< of tables of the distance
  /// type_count^2 tables of `last_bin` + 1 lines, in one of the precisions: the density that an
  /// atom of the second type adds at an atom of the first type, and their pair energy.
  const double* in_double;
  const float* in_single;

  // Embedding functions: type_count tables with `last_density_bin` + 1 bins of four coefficients.
  const double* embedding;
  const double* is_embedded;  ///< by type: 1 or 0
  double per_density;         ///< bins per density
  std::uint32_t last_density_bin;

  /// For all particles and the dummy: the density, then dF/drho. A vector behind the last one can
  /// be read.
  double* value;

  // Results of the first pass for the second: neighbors within the cutoff, as offsets.
  std::uint32_t* near;
  std::uint32_t near_used;
  RowRange* near_rows;  ///< of local particles; `begin` is aligned to 64 bytes

  void* scratch;  ///< a double for each near neighbor of a cell's rows, in whole vectors

  double embedding_energy;  ///< added to
};

/// The near neighbors of a row take a multiple of this number of entries.
inline constexpr std::uint32_t near_together = 16;

/// The kernels for one instruction set. Energies of pairs and virials are added to those of `rows`.
struct EmbeddedAtomKernels {
  const char* name;  ///< "avx512"
  /// Adds the densities of the pairs in the rows of these cells at both atoms.
  void (*add_up_densities)(EmbeddedAtomWork&, const std::uint32_t* cells, std::size_t cell_count,
                           bool mixed);
  /// Replaces the densities of the first `count` particles by dF/drho, and adds their embedding
  /// energy.
  void (*embed)(EmbeddedAtomWork&, std::size_t count);
  void (*compute_forces)(EmbeddedAtomWork&, const std::uint32_t* cells, std::size_t cell_count,
                         bool mixed, bool with_sums);
};

STERNA_KERNEL_GETTERS(EmbeddedAtomKernels, embedded_atom_kernels);

}  // namespace sterna::md
