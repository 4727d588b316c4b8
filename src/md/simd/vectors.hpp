#pragma once

// Vectors for all kernels, for the instruction set that a file is compiled for.
//
// A `Vector<T>` fills one register. It has the operators of a number. Comparisons give `Bits`, the
// condition type of `a < b ? c : d`.
//
// A `DoublePack` or `FloatPack` holds as many neighbors as a pair kernel takes at a time: one
// register, or two if registers are narrow. Its comparisons give a `Mask` in the native form of the
// instruction set, and operations take masks as arguments. Sums of products are written out as
// `fma`, so that a kernel gives the same bits whatever else it computes.
//
// The types are in `vector_types.hpp`, the instructions of each instruction set in a file of its
// own, and operations composed of them here. Elementary functions are in `elementary.hpp`. The files
// *_neon.cpp define STERNA_NEON, because compilers for 64-bit ARM know NEON in all files, also in
// those of the baseline.

#include <cstddef>

#if defined(__AVX512F__)
#include "md/simd/avx512.hpp"
#elif defined(__AVX2__)
#include "md/simd/avx2.hpp"
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS >= 256
#include "md/simd/sve.hpp"
#elif defined(STERNA_NEON)
#include "md/simd/neon.hpp"
#else
#include "md/simd/baseline.hpp"
#endif

namespace sterna::md {
namespace {

inline Vector<float> inverse(Vector<float> x) {
  return 1.0f / x;
}

template <class V>
inline V smaller(V a, V b) {
  return a < b ? a : b;
}
template <class V>
inline V larger(V a, V b) {
  return a > b ? a : b;
}

/// The sum over the lanes, one after another in double precision.
template <class Real>
inline double sum(Vector<Real> x) {
  double result = 0.0;
  for (int k = 0; k < lanes<Real>; ++k) result += static_cast<double>(x[k]);
  return result;
}

/// Two thirds of 1/sqrt(x)^3, to some units in the last place.
inline Vector<double> two_thirds_of_inverse_root_cubed(Vector<double> x) {
  const Vector<double> r = inverse_root(x);
  return (2.0 / 3.0 * r) * (r * r);
}

/// Pack::inverse by a division, even for packs that otherwise refine an estimate. A division takes
/// longer but has an execution unit of its own. So it is faster in kernels whose other work keeps
/// the multipliers busy.
template <class SomePack>
[[gnu::always_inline]] inline SomePack divided_inverse(typename SomePack::Mask mask, SomePack x,
                                                       SomePack scale) {
  if constexpr (requires { SomePack::divided_inverse(mask, x); }) {
    return SomePack::divided_inverse(mask, x);
  } else {
    return SomePack::inverse(mask, x, scale);
  }
}

/// The registers of a pack as vectors.
template <class SomePack>
using VectorOf = Vector<typename SomePack::Real>;
template <class SomePack>
constexpr int registers = sizeof(SomePack) / sizeof(VectorOf<SomePack>);
template <class SomePack>
[[gnu::always_inline]] inline VectorOf<SomePack>& part(SomePack& pack, int k) {
  return reinterpret_cast<VectorOf<SomePack>*>(&pack)[k];
}

}  // namespace
}  // namespace sterna::md
