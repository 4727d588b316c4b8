#pragma once

// Vectors as wide as the registers of the instruction set that a file is compiled for, by the
// vector extensions of GCC and Clang.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sterna::md {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS >= 256  // by -msve-vector-bits
constexpr int vector_bytes = __ARM_FEATURE_SVE_BITS / 8;
#else
constexpr int vector_bytes = 16;
#endif

/// How many vectors the processor's registers hold.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int vector_registers = 32;
#else
constexpr int vector_registers = 16;
#endif

// Each type is specialized on its own, because GCC drops the vector attribute of a dependent type
// if it is an argument of a class template.
template <class T>
struct VectorType;
template <>
struct VectorType<double> {
  using Type [[gnu::vector_size(vector_bytes)]] = double;
};
template <>
struct VectorType<float> {
  using Type [[gnu::vector_size(vector_bytes)]] = float;
};
template <>
struct VectorType<std::int64_t> {
  using Type [[gnu::vector_size(vector_bytes)]] = std::int64_t;
};
template <>
struct VectorType<std::int32_t> {
  using Type [[gnu::vector_size(vector_bytes)]] = std::int32_t;
};
template <class T>
using Vector = typename VectorType<T>::Type;
/// In each lane all bits are set or none: the result of a comparison and the condition of `?:`.
template <class Real>
using Bits = Vector<std::conditional_t<sizeof(Real) == 8, std::int64_t, std::int32_t>>;
template <class T>
constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

/// A vector with the number in all lanes.
template <class Real>
inline Vector<Real> all(double value) {
  return static_cast<Real>(value) - Vector<Real>{};  // x - 0 is x, bit for bit; it costs nothing
}

/// Loads a vector from an address aligned to a vector.
template <class Real>
inline Vector<Real> load(const Real* from) {
  return *reinterpret_cast<const Vector<Real>*>(from);
}
/// Loads a vector of any size, or one number, from any address.
template <class V, class T>
inline V load_unaligned(const T* from) {
  V value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class V, class T>
inline void store_unaligned(T* to, V value) {
  std::memcpy(to, &value, sizeof value);
}

/// The record at an offset in units of 8 bytes; address arithmetic applies this factor for free.
template <class T>
inline const T* at_offset(const T* records, std::uint32_t offset) {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(records) +
                                    std::size_t{offset} * 8);
}
template <class T>
inline T* at_offset(T* records, std::uint32_t offset) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(records) + std::size_t{offset} * 8);
}

/// Refines an estimate of 1/sqrt(x) by one second-order step.
inline Vector<double> refined_inverse_root(Vector<double> x, Vector<double> guess) {
  return guess * (1.5 - (0.5 * x) * (guess * guess));
}
inline Vector<float> refined_inverse_root(Vector<float> x, Vector<float> guess) {
  return guess * (1.5f - (0.5f * x) * (guess * guess));
}
/// Two thirds of 1/sqrt(x)^3 from an estimate of 1/sqrt(x), refined by one second-order step.
inline Vector<float> two_thirds_of_inverse_root_cubed(Vector<float> x, Vector<float> guess) {
  const Vector<float> squared = guess * guess;
  return (guess * squared) * (5.0f / 3.0f - x * squared);
}

}  // namespace
}  // namespace sterna::md
