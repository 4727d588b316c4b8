#pragma once

#include <cstddef>
#include <cstdint>

#include "md/neighbors/pair_work.hpp"

namespace sterna::md {

/// u(r) = q q' (1/r + curvature r^2 - shift) within the cutoff, or q q' (1/r + what the polynomials
/// say).
template <class Real>
struct ChargeConstants {
  /// Of every place of the store, ghosts and the dummy included.
  const Real* charge;
  Real cutoff_squared, curvature, shift;
  /// Six coefficients of each interval, lowest first.
  const Real* polynomials;
  Real intervals_per_length, last_interval;
};

/// The pairs of charges of a run. Plain data, as `PairWork` is.
struct ChargeWork {
  /// Whether excluded pairs have all but 1/r, or nothing.
  bool corrects_excluded;
  ChargeConstants<double> in_double;
  ChargeConstants<float> in_single;
};

/// One instruction set's kernels of pairs of charges: from half lists, with a parabola or
/// polynomials, without and with energy and virial.
struct ChargeKernels {
  using Compute = void (*)(PairWork& work, const ChargeWork& charges, const std::uint32_t* cells,
                           std::size_t cell_count);
  const char* name;
  Compute in_double[2][2], mixed[2][2];
};

const ChargeKernels& charge_kernels_baseline();
const ChargeKernels& charge_kernels_avx2();
const ChargeKernels& charge_kernels_avx512();

}  // namespace sterna::md
