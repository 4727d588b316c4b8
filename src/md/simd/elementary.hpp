#pragma once

// What formulas are written with that serve vectors (lanes.hpp) and plain doubles alike: elementary
// functions and look-ups in tables, under one name for either.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "md/simd/lanes.hpp"

namespace sterna::md {
namespace {

inline void sine_and_cosine_of_double(Vector<double> x, Vector<double>& sine,
                                      Vector<double>& cosine) {
  sine_and_cosine_of_double<double>(x, sine, cosine);
}
inline void sine_and_cosine_of_double(Vector<float> x, Vector<float>& sine, Vector<float>& cosine) {
  sine_and_cosine_of_double<float>(x, sine, cosine);
}

/// e^x, of exponents beyond the range of `exponential` that of its ends: at most e^700 (single
/// precision: e^87), which still is a number.
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
#if defined(__AVX512F__)
  return gather(table, places.at);
#else
  Vector<Real> result{};
  for (int k = 0; k < lanes<Real>; ++k) result[k] = table[places.at[k]];
  return result;
#endif
}

// The same of one double.

template <class V>
struct ElementOfVector {
  using Type = std::remove_cvref_t<decltype(V{}[0])>;
};
template <>
struct ElementOfVector<double> {
  using Type = double;
};
/// The number type of a vector, or of a number.
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
