#pragma once

#include <cstddef>
#include <cstdint>

#include "md/core/vector.hpp"
#include "md/forces/manybody/tersoff_work.hpp"
#include "md/model/embedded_atom.hpp"
#include "md/neighbors/pair_work.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// What the kernels of the embedded-atom method read and write.
struct EmbeddedAtomWork {
  const Position* position;
  const RowRange* rows;  ///< of local particles: all neighbors, with a skin
  const std::uint32_t* neighbors;
  const CellRange* cells;

  int type_count;
  double cutoff_squared;
  double per_distance;     ///< bins of a length
  std::uint32_t last_bin;  ///< of functions of the distance
  /// type_count^2 functions, `last_bin` + 1 bins each.
  const EmbeddedAtomCubic::Bin* density;
  const EmbeddedAtomCubic::Bin* pair;

  double* value;  ///< first pass: the density of local particles; second pass: dF/drho of all
  Vec3* force;    ///< of local particles; set

  std::uint32_t longest_row;
  void* scratch;  ///< scratch_bytes of the kernels, on a boundary of 64

  // Results of the second pass; both are added to.
  double energy;
  double virial[6];  ///< sum r_a f_b: xx yy zz xy xz yz
};

/// One instruction set's kernels for the given cells' particles.
struct EmbeddedAtomKernels {
  const char* name;  ///< "avx512"
  std::size_t (*scratch_bytes)(std::uint32_t longest_row);
  void (*add_up_densities)(EmbeddedAtomWork&, const std::uint32_t* cells, std::size_t cell_count);
  void (*compute_forces)(EmbeddedAtomWork&, const std::uint32_t* cells, std::size_t cell_count,
                         bool with_sums);
};

const EmbeddedAtomKernels& embedded_atom_kernels_baseline();
const EmbeddedAtomKernels& embedded_atom_kernels_avx2();
const EmbeddedAtomKernels& embedded_atom_kernels_avx512();

}  // namespace sterna::md
