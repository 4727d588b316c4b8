#pragma once

#include <cstddef>
#include <cstdint>

#include "md/neighbors/pair_work.hpp"
#include "md/simd/kernel_getters.hpp"

namespace sterna::md {

/// The polynomials of a `ChargeCurve`.
template <class Real>
struct ChargeCurveTable {
  const Real* polynomials;
  Real bend;
  Real near_scale, far_scale;  ///< number of intervals per unit of length
  Real near_intervals, last_interval;
  bool answers_excluded;
};

/// The parameters of u(r) = q q' (1/r + curvature r^2 - shift) within the cutoff; excluded pairs
/// have the same without 1/r. With a curve, u(r) = q q' curve(r)/r.
template <class Real>
struct ChargeConstants {
  /// Charges by place in the store, including ghosts and the dummy particle.
  const Real* charge;
  Real cutoff_squared, curvature, shift;
  ChargeCurveTable<Real> curve;
};

/// The pairs of charges of a run, as plain data like `PairWork`.
struct ChargeWork {
  ChargeConstants<double> in_double;
  ChargeConstants<float> in_single;
};

/// The kernels of one instruction set for pairs of charges, from half lists: of the formula and of
/// the curve, without and with energy and virial.
struct ChargeKernels {
  using Compute = void (*)(PairWork& work, const ChargeWork& charges, const std::uint32_t* cells,
                           std::size_t cell_count);
  const char* name;
  Compute in_double[2][2], mixed[2][2];
};

STERNA_KERNEL_GETTERS(ChargeKernels, charge_kernels);

}  // namespace sterna::md
