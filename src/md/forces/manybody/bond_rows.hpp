#pragma once

#include <cstddef>
#include <cstdint>

#include "md/neighbors/pair_work.hpp"
#include "md/system/padded_force.hpp"
#include "md/system/position.hpp"

namespace sterna::md {

/// The range of a particle's neighbors in the array of all.
struct RowRange {
  std::uint32_t begin;
  std::uint32_t count;
};

/// The number of atoms that are sorted together by their number of bonds.
inline constexpr std::uint32_t atoms_of_block = 256;

/// The data that the kernels of all potentials of bonds read and write. They take the neighbors
/// within a cutoff from rows of neighbors. Plain data, because the files compiled for one
/// instruction set must not instantiate code that others share.
struct BondRows {
  const Position* position;
  PaddedForce* force;    ///< of local particles and ghosts; forces are added
  const RowRange* rows;  ///< of local particles; includes the skin
  const std::uint32_t* neighbors;
  const CellRange* cells;
  int type_count;
  const double* bond_cutoff_squared;  ///< type_count^2; bonds and third atoms beyond are left out
  const void* tables;                 ///< of the potential, in one of the precisions
  std::uint32_t longest_row;
  void* scratch;  ///< scratch_bytes of the kernels, aligned to 64 bytes

  // Results, which are added to:
  double energy;
  double virial[6];  ///< sum r_a f_b: xx yy zz xy xz yz
};

/// The kernels of a potential for one instruction set: energy, virial and forces of the terms whose
/// center is a particle of the given cells. `Work` has a member `rows`.
template <class Work>
struct BondKernels {
  const char* name;  ///< "avx512"
  std::size_t (*scratch_bytes)(std::uint32_t longest_row);
  void (*compute_double)(Work&, const std::uint32_t* cells, std::size_t cell_count);
  void (*compute_mixed)(Work&, const std::uint32_t* cells, std::size_t cell_count);
};

}  // namespace sterna::md
