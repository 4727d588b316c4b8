#pragma once

// Elementary functions and table lookups under one name for vectors and for plain doubles, so that
// one formula serves both.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "md/simd/vectors.hpp"

namespace sterna::md {
namespace {

/// The polynomial sum c_k x^k by Horner's scheme; its coefficients are given from the highest power
/// down.
template <class V, class Real, std::size_t count>
inline V polynomial(V x, const Real (&highest_first)[count]) {
  V result = V{} + highest_first[0];
  for (std::size_t k = 1; k < count; ++k) result = result * x + highest_first[k];
  return result;
}

/// e^x for |x| <= 700 (single precision: 87), to 2 units in the last place: 2^k times the Taylor
/// series of the remainder, whose magnitude is at most ln 2 / 2.
inline Vector<double> exponential(Vector<double> x) {
  // Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits.
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

/// Natural logarithm of a normal positive number, to 1 unit in the last place. For 0 it is a number
/// below the logarithm of the smallest normal number. Reduction and series are those of FreeBSD's
/// e_log.c (Sun Microsystems 1993): x = 2^k (1 + f), sqrt(1/2) < 1 + f < sqrt(2), s = f / (2 + f).
inline Vector<double> logarithm(Vector<double> x) {
  const Bits<double> bits =
      reinterpret_cast<Bits<double>>(x) + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
  const Bits<double> fraction = (bits & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd;
  // The exponent as a double: the bits of an integer below 2^52 are the low bits of 2^52 plus the
  // integer.
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

/// Sine and cosine of 2 x for |x| <= pi / 4 by Taylor series, with an absolute error of rounding.
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

inline void sine_and_cosine_of_double(Vector<double> x, Vector<double>& sine,
                                      Vector<double>& cosine) {
  sine_and_cosine_of_double<double>(x, sine, cosine);
}
inline void sine_and_cosine_of_double(Vector<float> x, Vector<float>& sine, Vector<float>& cosine) {
  sine_and_cosine_of_double<float>(x, sine, cosine);
}

/// e^x with the exponent limited to the range of `exponential`: the result is at most e^700 (single
/// precision: e^87) and so stays finite.
inline Vector<double> bounded_exponential(Vector<double> x) {
  return exponential(smaller(larger(x, Vector<double>{} - 700), Vector<double>{} + 700));
}
inline Vector<float> bounded_exponential(Vector<float> x) {
  return exponential(smaller(larger(x, Vector<float>{} - 87), Vector<float>{} + 87));
}

/// The largest whole number that is not above x, 0 <= x < 2^31.
inline Vector<double> whole_part(Vector<double> x) {
  for (int k = 0; k < lanes<double>; ++k) x[k] = static_cast<std::int32_t>(x[k]);
  return x;
}
inline Vector<float> whole_part(Vector<float> x) {
  return __builtin_convertvector(__builtin_convertvector(x, Bits<float>), Vector<float>);
}

/// Places in a table, one for each lane.
template <class Real>
struct Places {
  alignas(64) std::uint32_t at[lanes<Real>];
};
inline Places<double> places(Vector<double> whole) {
  Places<double> result;
  for (int k = 0; k < lanes<double>; ++k) {
    result.at[k] = static_cast<std::uint32_t>(static_cast<std::int32_t>(whole[k]));
  }
  return result;
}
inline Places<float> places(Vector<float> whole) {
  Places<float> result;
  for (int k = 0; k < lanes<float>; ++k) {
    result.at[k] = static_cast<std::uint32_t>(static_cast<std::int32_t>(whole[k]));
  }
  return result;
}
template <class Real>
inline Vector<Real> gather_at(const Real* table, const Places<Real>& places) {
  return gather(table, places.at);
}

// The same functions of one double.

template <class V>
struct ElementOfVector {
  using Type = std::remove_cvref_t<decltype(V{}[0])>;
};
template <>
struct ElementOfVector<double> {
  using Type = double;
};
/// The type of the lanes of a vector; of a plain number, its own type.
template <class V>
using ElementOf = typename ElementOfVector<V>::Type;

inline double logarithm(double x) {
  return std::log(x);
}
inline double bounded_exponential(double x) {
  return std::exp(smaller(larger(x, -700.0), 700.0));
}
inline double whole_part(double x) {
  return std::floor(x);
}
inline void sine_and_cosine_of_double(double x, double& sine, double& cosine) {
  sine = std::sin(2.0 * x);
  cosine = std::cos(2.0 * x);
}
inline std::size_t places(double whole) {
  return static_cast<std::size_t>(whole);
}
inline double gather_at(const double* table, std::size_t place) {
  return table[place];
}

}  // namespace
}  // namespace sterna::md
