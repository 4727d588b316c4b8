#pragma once

// The vectors that all kernels are written over, of the instruction set that a file is compiled for.
//
// A `Vector<T>` fills one register. It has the operators of a number; comparisons give `Bits`, which
// `a < b ? c : d` takes.
//
// A `DoublePack` or `FloatPack` is as many neighbors as a kernel of pairs takes at a time: one
// register, or without wide ones two of doubles. Its comparisons give a `Mask` in the form that the
// instruction set has for masks, and operations take masks as arguments. Sums of products are
// written out as `fma`, so that these kernels have the same bits whatever else is asked for.
//
// `vector_types.hpp` has the types, one file for each instruction set what its instructions do, this
// one what can be said in terms of these. Elementary functions are in `elementary.hpp`.

#include <cstddef>

#if defined(__AVX512F__)
#include "md/simd/avx512.hpp"
#elif defined(__AVX2__)
#include "md/simd/avx2.hpp"
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

/// One lane after the other, in double precision.
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

/// Pack::inverse by a division, also for packs that refine an estimate. A division takes longer, in a
/// unit of its own: it is faster where so much else is computed meanwhile that multiplications are
/// what the processor lacks.
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
