#pragma once

// Transposition between rows in memory, four numbers for each lane, and four vectors of lanes.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "md/simd/vectors.hpp"

namespace sterna::md {
namespace {

/// Four consecutive numbers in memory, without alignment.
template <class Number>
struct FourOf;
template <>
struct FourOf<double> {
  typedef double Type __attribute__((vector_size(32), aligned(8), may_alias));
};
template <>
struct FourOf<float> {
  typedef float Type __attribute__((vector_size(16), aligned(4), may_alias));
};
template <>
struct FourOf<std::int64_t> {
  typedef std::int64_t Type __attribute__((vector_size(32), aligned(8), may_alias));
};
template <class Number>
using Four = typename FourOf<Number>::Type;

[[gnu::always_inline]] inline void read(const double (&from)[4], Four<double>& to) {
  to = *reinterpret_cast<const Four<double>*>(&from);
}
[[gnu::always_inline]] inline void read(const float (&from)[4], Four<double>& to) {
  to = __builtin_convertvector(*reinterpret_cast<const Four<float>*>(&from), Four<double>);
}
[[gnu::always_inline]] inline void write(const Four<double>& from, double (&to)[4]) {
  *reinterpret_cast<Four<double>*>(&to) = from;
}
[[gnu::always_inline]] inline void write(const Four<double>& from, float (&to)[4]) {
  *reinterpret_cast<Four<float>*>(&to) = __builtin_convertvector(from, Four<float>);
}

/// Four numbers for each lane, lane by lane.
template <class Real>
struct Rows {
  static constexpr std::size_t width = lanes<Real>;
  alignas(64) Real of[width][4];

  Vector<Real>& part(std::size_t n) {
    return *reinterpret_cast<Vector<Real>*>(&of[0][0] + n * width);
  }
  const Vector<Real>& part(std::size_t n) const {
    return *reinterpret_cast<const Vector<Real>*>(&of[0][0] + n * width);
  }
};

/// A vector whose element k is element from(k) of `a` followed by `b`.
template <auto from, class V, std::size_t... k>
[[gnu::always_inline]] inline V chosen_of(const V& a, const V& b, std::index_sequence<k...>) {
  return __builtin_shufflevector(a, b, from(k)...);
}
template <auto from, class V>
[[gnu::always_inline]] inline V chosen(const V& a, const V& b) {
  constexpr std::size_t width = sizeof(V) / sizeof(a[0]);
  return chosen_of<from>(a, b, std::make_index_sequence<width>{});
}

/// Transposes rows into vectors: x, y, z and w get the first to the fourth number of each lane.
template <class Real, class V = Vector<Real>>
[[gnu::always_inline]] inline void load(const Rows<Real>& rows, V& x, V& y, V& z, V& w) {
  constexpr std::size_t width = lanes<Real>, half = width / 2;
  constexpr auto low = [](std::size_t k) { return k < half ? k : k + half; };
  constexpr auto high = [](std::size_t k) { return k < half ? k + half : k + width; };
  if constexpr (width == 2) {
    x = chosen<low>(rows.part(0), rows.part(2)), y = chosen<high>(rows.part(0), rows.part(2));
    z = chosen<low>(rows.part(1), rows.part(3)), w = chosen<high>(rows.part(1), rows.part(3));
  } else {
    // Each vector holds one component of half the lanes, then the next component of the same lanes.
    constexpr auto first = [](std::size_t k) { return 4 * (k % half) + k / half; };
    constexpr auto last = [](std::size_t k) { return 4 * (k % half) + k / half + 2; };
    const V xy_front = chosen<first>(rows.part(0), rows.part(1));
    const V xy_back = chosen<first>(rows.part(2), rows.part(3));
    const V zw_front = chosen<last>(rows.part(0), rows.part(1));
    const V zw_back = chosen<last>(rows.part(2), rows.part(3));
    x = chosen<low>(xy_front, xy_back), y = chosen<high>(xy_front, xy_back);
    z = chosen<low>(zw_front, zw_back), w = chosen<high>(zw_front, zw_back);
  }
}

/// Transposes vectors into rows, the inverse of `load`.
template <class Real, class V = Vector<Real>>
[[gnu::always_inline]] inline void store(const V& x, const V& y, const V& z, const V& w,
                                         Rows<Real>& rows) {
  constexpr std::size_t width = lanes<Real>, half = width / 2;
  // Interleave two components for the first half of the lanes, and for the second half.
  constexpr auto front = [](std::size_t k) { return k / 2 + (k % 2) * width; };
  constexpr auto back = [](std::size_t k) { return half + k / 2 + (k % 2) * width; };
  const V xy_front = chosen<front>(x, y), xy_back = chosen<back>(x, y);
  const V zw_front = chosen<front>(z, w), zw_back = chosen<back>(z, w);
  if constexpr (width == 2) {
    rows.part(0) = xy_front, rows.part(1) = zw_front;
    rows.part(2) = xy_back, rows.part(3) = zw_back;
  } else {
    constexpr auto low = [](std::size_t k) { return k / 4 * 2 + k % 2 + k / 2 % 2 * width; };
    constexpr auto high = [](std::size_t k) {
      return half + k / 4 * 2 + k % 2 + k / 2 % 2 * width;
    };
    rows.part(0) = chosen<low>(xy_front, zw_front), rows.part(1) = chosen<high>(xy_front, zw_front);
    rows.part(2) = chosen<low>(xy_back, zw_back), rows.part(3) = chosen<high>(xy_back, zw_back);
  }
}

}  // namespace
}  // namespace sterna::md
