#pragma once

// Vectors of doubles or floats as wide as the registers of the instruction set that a file is
// compiled for, and the elementary functions on them. In terms of the vector extensions of GCC and
// Clang, so that one text serves all instruction sets; intrinsics only where those have no word.

#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <immintrin.h>
#else
#include <cmath>
#endif

namespace sterna::md {
namespace {

#if defined(__AVX512F__)
constexpr int lane_bytes = 64;
#elif defined(__AVX2__)
constexpr int lane_bytes = 32;
#else
constexpr int lane_bytes = 16;
#endif

template <class Real>
struct LaneTypes;
template <>
struct LaneTypes<double> {
  typedef double Vector __attribute__((vector_size(lane_bytes)));
  typedef std::int64_t Bits __attribute__((vector_size(lane_bytes)));
  using Integer = std::int64_t;
};
template <>
struct LaneTypes<float> {
  typedef float Vector __attribute__((vector_size(lane_bytes)));
  typedef std::int32_t Bits __attribute__((vector_size(lane_bytes)));
  using Integer = std::int32_t;
};

template <class Real>
using Vector = typename LaneTypes<Real>::Vector;
/// All bits of a lane set or none: what comparisons give and `?:` takes.
template <class Real>
using Bits = typename LaneTypes<Real>::Bits;
template <class Real>
constexpr int lanes = lane_bytes / static_cast<int>(sizeof(Real));

template <class Real>
inline Vector<Real> all(double value) {
  return static_cast<Real>(value) - Vector<Real>{};  // x - 0 is x, bit for bit: no instruction
}

template <class Real>
inline Vector<Real> load(const Real* from) {
  return *reinterpret_cast<const Vector<Real>*>(from);
}

template <class Real>
inline Vector<Real> gather(const Real* table, const std::uint32_t* places) {
  Vector<Real> result;
#if defined(__AVX512F__)
  if constexpr (sizeof(Real) == 8) {
    result =
        _mm512_i32gather_pd(_mm256_load_si256(reinterpret_cast<const __m256i*>(places)), table, 8);
  } else {
    result = _mm512_i32gather_ps(_mm512_load_si512(places), table, 4);
  }
#else
  for (int k = 0; k < lanes<Real>; ++k) result[k] = table[places[k]];
#endif
  return result;
}

inline Vector<double> square_root(Vector<double> x) {
#if defined(__AVX512F__)
  return _mm512_sqrt_pd(x);
#elif defined(__AVX2__)
  return _mm256_sqrt_pd(x);
#elif defined(__SSE2__)
  return _mm_sqrt_pd(x);
#else
  for (int k = 0; k < lanes<double>; ++k) x[k] = std::sqrt(x[k]);
  return x;
#endif
}
inline Vector<float> square_root(Vector<float> x) {
#if defined(__AVX512F__)
  return _mm512_sqrt_ps(x);
#elif defined(__AVX2__)
  return _mm256_sqrt_ps(x);
#elif defined(__SSE2__)
  return _mm_sqrt_ps(x);
#else
  for (int k = 0; k < lanes<float>; ++k) x[k] = std::sqrt(x[k]);
  return x;
#endif
}

/// 1/x to rounding, x not denormal. Doubles with AVX-512: 14 bits, then a step of third order,
/// which goes beside what else there is to do, as a division would not.
inline Vector<double> inverse(Vector<double> x) {
#if defined(__AVX512F__)
  const __m512d r = _mm512_rcp14_pd(x);
  const __m512d e = _mm512_fnmadd_pd(x, r, _mm512_set1_pd(1.0));
  return _mm512_fmadd_pd(r, _mm512_fmadd_pd(e, e, e), r);
#else
  return 1.0 / x;
#endif
}
inline Vector<float> inverse(Vector<float> x) {
  return 1.0f / x;
}

inline bool any(Bits<double> mask) {
#if defined(__AVX512F__)
  return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask)) != 0;
#else
  for (int k = 0; k < lanes<double>; ++k) {
    if (mask[k] != 0) return true;
  }
  return false;
#endif
}
inline bool any(Bits<float> mask) {
#if defined(__AVX512F__)
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(mask)) != 0;
#else
  for (int k = 0; k < lanes<float>; ++k) {
    if (mask[k] != 0) return true;
  }
  return false;
#endif
}

template <class Real>
inline double sum(Vector<Real> x) {
  double result = 0.0;
  for (int k = 0; k < lanes<Real>; ++k) result += static_cast<double>(x[k]);
  return result;
}

template <class V>
inline V smaller(V a, V b) {
  return a < b ? a : b;
}
template <class V>
inline V larger(V a, V b) {
  return a > b ? a : b;
}

/// Sum of coefficients[k] x^k, highest first.
template <class V, class Real, std::size_t count>
inline V polynomial(V x, const Real (&highest_first)[count]) {
  V result = V{} + highest_first[0];
  for (std::size_t k = 1; k < count; ++k) result = result * x + highest_first[k];
  return result;
}

/// e^x for |x| <= 700 (single precision: 87), to 2 units in the last place: 2^k times the Taylor
/// series of what remains, which is at most ln 2 / 2.
inline Vector<double> exponential(Vector<double> x) {
  // Adding 1.5 * 2^52 leaves the nearest integer in the low bits.
  const Vector<double> shifted = x * 1.44269504088896340736 + 6755399441055744.0;
  const Vector<double> k = shifted - 6755399441055744.0;
  const Vector<double> r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
  constexpr double series[] = {1.0 / 479001600,
                               1.0 / 39916800,
                               1.0 / 3628800,
                               1.0 / 362880,
                               1.0 / 40320,
                               1.0 / 5040,
                               1.0 / 720,
                               1.0 / 120,
                               1.0 / 24,
                               1.0 / 6,
                               0.5,
                               1.0,
                               1.0};
  const Vector<double> p = polynomial(r, series);
  const Bits<double> power = reinterpret_cast<Bits<double>>(shifted) << 52;
  return reinterpret_cast<Vector<double>>(reinterpret_cast<Bits<double>>(p) + power);
}
inline Vector<float> exponential(Vector<float> x) {
  const Vector<float> shifted = x * 1.44269504f + 12582912.0f;
  const Vector<float> k = shifted - 12582912.0f;
  const Vector<float> r = (x - k * 6.93359375e-01f) + k * 2.12194440e-4f;
  constexpr float series[] = {1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24,
                              1.0f / 6,    0.5f,       1.0f,       1.0f};
  const Vector<float> p = polynomial(r, series);
  const Bits<float> power = reinterpret_cast<Bits<float>>(shifted) << 23;
  return reinterpret_cast<Vector<float>>(reinterpret_cast<Bits<float>>(p) + power);
}

/// Natural logarithm of a normal positive number, to 1 unit in the last place. Of 0 a number below
/// that of the smallest normal one. The reduction and the series are those of FreeBSD's e_log.c
/// (Sun Microsystems 1993): x = 2^k (1 + f), sqrt(1/2) < 1 + f < sqrt(2), s = f / (2 + f).
inline Vector<double> logarithm(Vector<double> x) {
  const Bits<double> bits =
      reinterpret_cast<Bits<double>>(x) + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
  const Bits<double> fraction = (bits & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd;
  // The exponent as a double: below 2^52 the bits of an integer are the low bits of 2^52 + it.
  const Bits<double> exponent = (bits >> 52) | 0x4330000000000000;
  const Vector<double> k =
      reinterpret_cast<Vector<double>>(exponent) - (4503599627370496.0 + 1023.0);
  const Vector<double> f = reinterpret_cast<Vector<double>>(fraction) - 1.0;
  const Vector<double> s = f * inverse(f + 2.0);
  const Vector<double> z = s * s;
  constexpr double series[] = {1.479819860511658591e-01, 1.531383769920937332e-01,
                               1.818357216161805012e-01, 2.222219843214978396e-01,
                               2.857142874366239149e-01, 3.999999999940941908e-01,
                               6.666666666666735130e-01};
  const Vector<double> half_square = 0.5 * f * f;
  const Vector<double> rest = s * (half_square + z * polynomial(z, series));
  return k * 6.93147180369123816490e-01 -
         ((half_square - (rest + k * 1.90821492927058770002e-10)) - f);
}
inline Vector<float> logarithm(Vector<float> x) {
  const Bits<float> bits = reinterpret_cast<Bits<float>>(x) + (0x3f800000 - 0x3f3504f3);
  const Bits<float> fraction = (bits & 0x007fffff) + 0x3f3504f3;
  const Vector<float> k = __builtin_convertvector((bits >> 23) - 127, Vector<float>);
  const Vector<float> f = reinterpret_cast<Vector<float>>(fraction) - 1.0f;
  const Vector<float> s = f * inverse(f + 2.0f);
  const Vector<float> z = s * s;
  constexpr float series[] = {0.24279078841f, 0.28498786688f, 0.40000972152f, 0.66666662693f};
  const Vector<float> half_square = 0.5f * f * f;
  const Vector<float> rest = s * (half_square + z * polynomial(z, series));
  return k * 6.9313812256e-01f - ((half_square - (rest + k * 9.0580006145e-06f)) - f);
}

/// Sine and cosine of 2 x for |x| <= pi / 4, to rounding (not relative to the result), by the
/// Taylor series of x.
template <class Real>
inline void sine_and_cosine_of_double(Vector<Real> x, Vector<Real>& sine, Vector<Real>& cosine) {
  constexpr Real sine_series[] = {Real(1.0 / 355687428096000.0),
                                  Real(-1.0 / 1307674368000.0),
                                  Real(1.0 / 6227020800.0),
                                  Real(-1.0 / 39916800.0),
                                  Real(1.0 / 362880.0),
                                  Real(-1.0 / 5040.0),
                                  Real(1.0 / 120.0),
                                  Real(-1.0 / 6.0),
                                  Real(1.0)};
  constexpr Real cosine_series[] = {Real(1.0 / 20922789888000.0),
                                    Real(-1.0 / 87178291200.0),
                                    Real(1.0 / 479001600.0),
                                    Real(-1.0 / 3628800.0),
                                    Real(1.0 / 40320.0),
                                    Real(-1.0 / 720.0),
                                    Real(1.0 / 24.0),
                                    Real(-0.5),
                                    Real(1.0)};
  const Vector<Real> square = x * x;
  const Vector<Real> s = x * polynomial(square, sine_series);
  const Vector<Real> c = polynomial(square, cosine_series);
  sine = Real(2) * s * c;
  cosine = Real(1) - Real(2) * s * s;
}

}  // namespace
}  // namespace sterna::md
