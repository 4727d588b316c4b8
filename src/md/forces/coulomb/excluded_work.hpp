#pragma once

#include <cstddef>
#include <cstdint>

#include "md/system/molecule_batch.hpp"

namespace sterna::md {

/// Excluded pairs of whole molecules of one kind. Plain data, as `MoleculeBatch`.
struct ExcludedWork {
  struct Pair {
    std::uint32_t first, second;  ///< places in the molecule
    double product;               ///< of the charges
  };
  MoleculeBatch molecules;
  const Pair* pairs;
  std::size_t pair_count;
  bool with_sums;    ///< energy and virial are wanted
  double energy;     ///< is subtracted from where it is wanted, as is the next
  double virial[6];  ///< xx yy zz xy xz yz
};

/// One instruction set's kernel.
struct ExcludedKernels {
  const char* name;
  void (*subtract)(ExcludedWork& work);
};

const ExcludedKernels& excluded_kernels_baseline();
const ExcludedKernels& excluded_kernels_avx2();
const ExcludedKernels& excluded_kernels_avx512();

}  // namespace sterna::md
