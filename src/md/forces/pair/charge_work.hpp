#pragma once

#include <cstddef>
#include <cstdint>

#include "md/neighbors/pair_work.hpp"

namespace sterna::md {

/// u(r) = q q' (1/r + curvature r^2 - shift) within the cutoff; excluded pairs lack 1/r.
template <class Real>
struct ChargeConstants {
  /// Charges by place in the store, including ghosts and the dummy particle.
  const Real* charge;
  Real cutoff_squared, curvature, shift;
};

/// The pairs of charges of a run, as plain data like `PairWork`.
struct ChargeWork {
  ChargeConstants<double> in_double;
  ChargeConstants<float> in_single;
};

/// One instruction set's kernels for pairs of charges in half lists, without and with energy and
/// virial.
struct ChargeKernels {
  using Compute = void (*)(PairWork& work, const ChargeWork& charges, const std::uint32_t* cells,
                           std::size_t cell_count);
  const char* name;
  Compute in_double[2], mixed[2];
};

const ChargeKernels& charge_kernels_baseline();
const ChargeKernels& charge_kernels_avx2();
const ChargeKernels& charge_kernels_avx512();

}  // namespace sterna::md
