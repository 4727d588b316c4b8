#pragma once

#include <cstddef>
#include <cstdint>

#include "md/forces/manybody/bond_rows.hpp"
#include "md/simd/kernel_getters.hpp"

namespace sterna::md {

/// The coefficients in a bin of a table: for each power of the distance those of the density, of r
/// times the pair energy, of the dipole and of the quadrupole function.
inline constexpr std::size_t angular_atom_line = 16;

/// The data that the kernels of the angular-dependent embedded-atom method read and write.
struct AngularAtomWork {
  /// Its tables are type_count^2 ones of `last_bin` + 1 lines: of the type of the center and of its
  /// neighbor.
  BondRows rows;

  double per_distance;  ///< bins per length
  std::uint32_t last_bin;

  /// F(rho), which continues along its tangent; sets its derivative.
  double (*embed)(const void* potential, int type, double density, double& slope);
  const void* potential;
};

/// The kernels for one instruction set: energy, virial and forces of the terms whose center is a
/// particle of the given cells.
struct AngularAtomKernels {
  const char* name;  ///< "avx512"
  std::size_t (*scratch_bytes)(std::uint32_t longest_row);
  void (*compute)(AngularAtomWork&, const std::uint32_t* cells, std::size_t cell_count);
};

STERNA_KERNEL_GETTERS(AngularAtomKernels, angular_atom_kernels);

}  // namespace sterna::md
