#pragma once

#include <cstddef>
#include <cstdint>

#include "md/simd/kernel_getters.hpp"
#include "md/system/molecule_batch.hpp"

namespace sterna::md {

/// Excluded pairs of whole molecules of one kind. Plain data, like `MoleculeBatch`.
struct ExcludedWork {
  struct Pair {
    std::uint32_t first, second;  ///< indices in the molecule
    double product;               ///< product of the charges
  };
  MoleculeBatch molecules;
  const Pair* pairs;
  std::size_t pair_count;
  bool with_sums;    ///< whether energy and virial are computed
  double energy;     ///< reduced if `with_sums`, like `virial`
  double virial[6];  ///< xx yy zz xy xz yz
};

/// The kernel for one instruction set.
struct ExcludedKernels {
  const char* name;
  void (*subtract)(ExcludedWork& work);
};

STERNA_KERNEL_GETTERS(ExcludedKernels, excluded_kernels);

}  // namespace sterna::md
