#pragma once

// AVX2 with FMA: registers of 32 bytes. Included by vectors.hpp; avx512.hpp explains the names.

#include <immintrin.h>

#include <cstdint>

#include "md/simd/compress_table.hpp"
#include "md/simd/vector_types.hpp"

namespace sterna::md {
namespace {

inline Vector<double> square_root(Vector<double> x) {
  return _mm256_sqrt_pd(x);
}
inline Vector<float> square_root(Vector<float> x) {
  return _mm256_sqrt_ps(x);
}

inline Vector<double> inverse(Vector<double> x) {
  return 1.0 / x;
}

inline Vector<double> inverse_root(Vector<double> x) {
  return 1.0 / square_root(x);
}
/// An estimate of 12 bits, refined by one second-order step.
inline Vector<float> inverse_root(Vector<float> x) {
  return refined_inverse_root(x, Vector<float>(_mm256_rsqrt_ps(x)));
}

/// Two thirds of 1/sqrt(x)^3. Leaving out the factor 3/2 saves an operation in the refinement.
inline Vector<float> two_thirds_of_inverse_root_cubed(Vector<float> x) {
  return two_thirds_of_inverse_root_cubed(x, Vector<float>(_mm256_rsqrt_ps(x)));
}

inline bool any(Bits<double> mask) {
  return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask)) != 0;
}
inline bool any(Bits<float> mask) {
  return _mm256_movemask_ps(reinterpret_cast<__m256>(mask)) != 0;
}

/// Loads one lane at a time, because the gather instruction is no faster here.
template <class Real>
inline Vector<Real> gather(const Real* table, const std::uint32_t* places) {
  Vector<Real> result{};
  for (int k = 0; k < lanes<Real>; ++k) result[k] = table[places[k]];
  return result;
}

/// The numbers of the lanes whose bits are set, packed to the front, as 32-bit integers.
inline __m256i selected_lanes(unsigned lanes) {
  return _mm256_cvtepu8_epi32(
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(compress_table.lanes[lanes])));
}

struct DoublePack {
  using Real = double;
  using Mask = __m256d;
  using Indices = __m256i;
  static constexpr int width = 4;
  __m256d v;

  static DoublePack zero() { return {_mm256_setzero_pd()}; }
  static DoublePack all(double s) { return {_mm256_set1_pd(s)}; }
  static DoublePack load(const double* p) { return {_mm256_load_pd(p)}; }
  void store(double* p) const { _mm256_store_pd(p, v); }
  void store(float* p) const { _mm_store_ps(p, _mm256_cvtpd_ps(v)); }
  void store_selected(double* p, unsigned lanes) const {
    // Each lane of doubles is moved as two lanes of 32 bits, so each bit of the mask is doubled.
    const unsigned doubled =
        3 * ((lanes & 1) + 2 * (lanes & 2) + 4 * (lanes & 4) + 8 * (lanes & 8));
    const __m256 packed = _mm256_permutevar8x32_ps(_mm256_castpd_ps(v), selected_lanes(doubled));
    _mm256_storeu_pd(p, _mm256_castps_pd(packed));
  }
  friend DoublePack operator+(DoublePack a, DoublePack b) { return {_mm256_add_pd(a.v, b.v)}; }
  friend DoublePack operator-(DoublePack a, DoublePack b) { return {_mm256_sub_pd(a.v, b.v)}; }
  friend DoublePack operator*(DoublePack a, DoublePack b) { return {_mm256_mul_pd(a.v, b.v)}; }
  static DoublePack fma(DoublePack a, DoublePack b, DoublePack c) {
    return {_mm256_fmadd_pd(a.v, b.v, c.v)};
  }
  static DoublePack fnma(DoublePack a, DoublePack b, DoublePack c) {
    return {_mm256_fnmadd_pd(a.v, b.v, c.v)};
  }
  friend Mask operator<(DoublePack a, DoublePack b) { return _mm256_cmp_pd(a.v, b.v, _CMP_LT_OQ); }
  static DoublePack inverse(Mask mask, DoublePack x, DoublePack scale) {
    return {_mm256_and_pd(mask, _mm256_div_pd(scale.v, x.v))};
  }
  static DoublePack sqrt(DoublePack x) { return {_mm256_sqrt_pd(x.v)}; }
  static DoublePack inverse_sqrt(Mask mask, DoublePack x) {
    return inverse(mask, sqrt(x), all(1.0));
  }
  static Mask without(Mask mask, int lane) {
    const __m256i that =
        _mm256_cmpeq_epi64(_mm256_setr_epi64x(0, 1, 2, 3), _mm256_set1_epi64x(lane));
    return _mm256_andnot_pd(_mm256_castsi256_pd(that), mask);
  }
  static Mask keep(Mask mask, unsigned lanes) {
    const __m256i lane = _mm256_setr_epi64x(1, 2, 4, 8);
    const __m256i kept = _mm256_and_si256(_mm256_set1_epi64x(static_cast<int>(lanes)), lane);
    return _mm256_and_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(kept, lane)), mask);
  }
  static DoublePack select(Mask mask, DoublePack x) { return {_mm256_and_pd(mask, x.v)}; }
  static DoublePack blend(Mask mask, DoublePack a, DoublePack b) {
    return {_mm256_blendv_pd(b.v, a.v, mask)};
  }
  double sum() const {
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
  }
  template <int count>
  static void sums(const DoublePack (&v)[count], double (&out)[count]) {
    for (int k = 0; k < count; ++k) out[k] = v[k].sum();
  }
  static DoublePack lookup(const double* table, int count, Indices indices) {
    if (count > width) return {_mm256_i64gather_pd(table, indices, 8)};
    // Doubles are moved as pairs of floats, because one instruction permutes floats across a
    // register.
    const __m256i first = _mm256_slli_epi64(indices, 1);
    const __m256i second = _mm256_slli_epi64(_mm256_add_epi64(first, _mm256_set1_epi64x(1)), 32);
    return {_mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(_mm256_loadu_pd(table)),
                                                      _mm256_or_si256(first, second)))};
  }
  static unsigned bits(Mask mask) { return static_cast<unsigned>(_mm256_movemask_pd(mask)); }
  static DoublePack min(DoublePack a, DoublePack b) { return {_mm256_min_pd(a.v, b.v)}; }
  static DoublePack numbers(Indices bits) { return {_mm256_castsi256_pd(bits)}; }

  static void load_four(const double* records, const std::uint32_t* j, DoublePack (&out)[4]) {
    const __m256d p0 = _mm256_load_pd(records + j[0]);
    const __m256d p1 = _mm256_load_pd(records + j[1]);
    const __m256d p2 = _mm256_load_pd(records + j[2]);
    const __m256d p3 = _mm256_load_pd(records + j[3]);
    const __m256d xz0 = _mm256_unpacklo_pd(p0, p1);
    const __m256d yt0 = _mm256_unpackhi_pd(p0, p1);
    const __m256d xz2 = _mm256_unpacklo_pd(p2, p3);
    const __m256d yt2 = _mm256_unpackhi_pd(p2, p3);
    out[0].v = _mm256_permute2f128_pd(xz0, xz2, 0x20);
    out[1].v = _mm256_permute2f128_pd(yt0, yt2, 0x20);
    out[2].v = _mm256_permute2f128_pd(xz0, xz2, 0x31);
    out[3].v = _mm256_permute2f128_pd(yt0, yt2, 0x31);
  }

  [[gnu::always_inline]] static void load_records(const double* records,
                                                  const std::uint32_t* offsets, DoublePack& x,
                                                  DoublePack& y, DoublePack& z, Indices& last) {
    DoublePack four[4];
    load_four(records, offsets, four);
    x = four[0];
    y = four[1];
    z = four[2];
    last = _mm256_castpd_si256(four[3].v);
  }
  [[gnu::always_inline]] static void subtract_from_triples(double* triples,
                                                           const std::uint32_t* offsets,
                                                           DoublePack x, DoublePack y,
                                                           DoublePack z) {
    const auto subtract = [&](int lane, __m128d xy, double last) {
      double* const to = triples + std::size_t{offsets[lane]} / 4 * 3;
      _mm_storeu_pd(to, _mm_sub_pd(_mm_loadu_pd(to), xy));
      to[2] -= last;
    };
    const __m256d even = _mm256_unpacklo_pd(x.v, y.v), odd = _mm256_unpackhi_pd(x.v, y.v);
    const __m128d low = _mm256_castpd256_pd128(z.v), high = _mm256_extractf128_pd(z.v, 1);
    subtract(0, _mm256_castpd256_pd128(even), _mm_cvtsd_f64(low));
    subtract(1, _mm256_castpd256_pd128(odd), _mm_cvtsd_f64(_mm_unpackhi_pd(low, low)));
    subtract(2, _mm256_extractf128_pd(even, 1), _mm_cvtsd_f64(high));
    subtract(3, _mm256_extractf128_pd(odd, 1), _mm_cvtsd_f64(_mm_unpackhi_pd(high, high)));
  }
};

struct FloatPack {
  using Real = float;
  using Mask = __m256;
  using Integers = __m256i;
  using Indices = __m256i;
  static constexpr int width = 8;
  __m256 v;

  static FloatPack zero() { return {_mm256_setzero_ps()}; }
  static FloatPack all(double s) { return {_mm256_set1_ps(static_cast<float>(s))}; }
  static FloatPack load(const float* p) { return {_mm256_loadu_ps(p)}; }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
  void store_selected(float* p, unsigned lanes) const {
    _mm256_storeu_ps(p, _mm256_permutevar8x32_ps(v, selected_lanes(lanes)));
  }
  friend FloatPack operator+(FloatPack a, FloatPack b) { return {_mm256_add_ps(a.v, b.v)}; }
  friend FloatPack operator-(FloatPack a, FloatPack b) { return {_mm256_sub_ps(a.v, b.v)}; }
  friend FloatPack operator*(FloatPack a, FloatPack b) { return {_mm256_mul_ps(a.v, b.v)}; }
  static FloatPack fma(FloatPack a, FloatPack b, FloatPack c) {
    return {_mm256_fmadd_ps(a.v, b.v, c.v)};
  }
  static FloatPack fnma(FloatPack a, FloatPack b, FloatPack c) {
    return {_mm256_fnmadd_ps(a.v, b.v, c.v)};
  }
  friend Mask operator<(FloatPack a, FloatPack b) { return _mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ); }
  static FloatPack inverse(Mask mask, FloatPack x, FloatPack scale) {
    return {_mm256_and_ps(mask, _mm256_div_ps(scale.v, x.v))};
  }
  static FloatPack sqrt(FloatPack x) { return {_mm256_sqrt_ps(x.v)}; }
  static FloatPack inverse_sqrt(Mask mask, FloatPack x) { return inverse(mask, sqrt(x), all(1.0)); }
  static Mask without(Mask mask, int lane) {
    const __m256i that =
        _mm256_cmpeq_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(lane));
    return _mm256_andnot_ps(_mm256_castsi256_ps(that), mask);
  }
  static Mask keep(Mask mask, unsigned lanes) {
    const __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i kept = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(lanes)), lane);
    return _mm256_and_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(kept, lane)), mask);
  }
  static FloatPack select(Mask mask, FloatPack x) { return {_mm256_and_ps(mask, x.v)}; }
  static FloatPack min(FloatPack a, FloatPack b) { return {_mm256_min_ps(a.v, b.v)}; }
  static FloatPack max(FloatPack a, FloatPack b) { return {_mm256_max_ps(a.v, b.v)}; }
  static FloatPack numbers(Indices bits) { return {_mm256_castsi256_ps(bits)}; }
  static FloatPack blend(Mask mask, FloatPack a, FloatPack b) {
    return {_mm256_blendv_ps(b.v, a.v, mask)};
  }
  double sum() const {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return static_cast<double>(_mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1))));
  }
  template <int count>
  static void sums(const FloatPack (&v)[count], double (&out)[count]) {
    for (int k = 0; k < count; ++k) out[k] = v[k].sum();
  }
  static FloatPack lookup(const float* table, int count, Indices indices) {
    if (count > width) return {_mm256_i32gather_ps(table, indices, 4)};
    return {_mm256_permutevar8x32_ps(_mm256_loadu_ps(table), indices)};
  }
  static unsigned bits(Mask mask) { return static_cast<unsigned>(_mm256_movemask_ps(mask)); }
  /// A mask with one bit for each place whose byte is not 0. Places come in whole vectors; four
  /// bytes are read at each.
  static unsigned nonzero_bytes(const std::uint8_t* bytes, const std::uint32_t* places) {
    const __m256i found =
        _mm256_i32gather_epi32(reinterpret_cast<const int*>(bytes),
                               _mm256_loadu_si256(reinterpret_cast<const __m256i*>(places)), 1);
    const __m256i none = _mm256_cmpeq_epi32(_mm256_and_si256(found, _mm256_set1_epi32(0xff)),
                                            _mm256_setzero_si256());
    return ~static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(none))) & 0xffu;
  }

  static void load_four(const float* records, const std::uint32_t* j, FloatPack (&out)[4]) {
    const auto two = [&](std::uint32_t a, std::uint32_t b) {
      return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(records + a)),
                                  _mm_load_ps(records + b), 1);
    };
    const __m256 p0 = two(j[0], j[4]);
    const __m256 p1 = two(j[1], j[5]);
    const __m256 p2 = two(j[2], j[6]);
    const __m256 p3 = two(j[3], j[7]);
    const __m256d xy0 = _mm256_castps_pd(_mm256_unpacklo_ps(p0, p1));
    const __m256d zt0 = _mm256_castps_pd(_mm256_unpackhi_ps(p0, p1));
    const __m256d xy2 = _mm256_castps_pd(_mm256_unpacklo_ps(p2, p3));
    const __m256d zt2 = _mm256_castps_pd(_mm256_unpackhi_ps(p2, p3));
    out[0].v = _mm256_castpd_ps(_mm256_unpacklo_pd(xy0, xy2));
    out[1].v = _mm256_castpd_ps(_mm256_unpackhi_pd(xy0, xy2));
    out[2].v = _mm256_castpd_ps(_mm256_unpacklo_pd(zt0, zt2));
    out[3].v = _mm256_castpd_ps(_mm256_unpackhi_pd(zt0, zt2));
  }

  [[gnu::always_inline]] static void load_records(const std::int32_t* records,
                                                  const std::uint32_t* j, Integers& x, Integers& y,
                                                  Integers& z, Indices& last) {
    const auto load = [records](std::uint32_t a) {
      return _mm_load_si128(reinterpret_cast<const __m128i*>(at_offset(records, a)));
    };
    const auto two = [&load](std::uint32_t a, std::uint32_t b) {
      return _mm256_inserti128_si256(_mm256_castsi128_si256(load(a)), load(b), 1);
    };
    const __m256i p0 = two(j[0], j[4]);
    const __m256i p1 = two(j[1], j[5]);
    const __m256i p2 = two(j[2], j[6]);
    const __m256i p3 = two(j[3], j[7]);
    const __m256i xy0 = _mm256_unpacklo_epi32(p0, p1);
    const __m256i zt0 = _mm256_unpackhi_epi32(p0, p1);
    const __m256i xy2 = _mm256_unpacklo_epi32(p2, p3);
    const __m256i zt2 = _mm256_unpackhi_epi32(p2, p3);
    x = _mm256_unpacklo_epi64(xy0, xy2);
    y = _mm256_unpackhi_epi64(xy0, xy2);
    z = _mm256_unpacklo_epi64(zt0, zt2);
    last = _mm256_unpackhi_epi64(zt0, zt2);
  }
  [[gnu::always_inline]] static void subtract_from_records(float* records, const std::uint32_t* j,
                                                           FloatPack x, FloatPack y, FloatPack z) {
    const __m256 zero = _mm256_setzero_ps();
    const __m256d xy0 = _mm256_castps_pd(_mm256_unpacklo_ps(x.v, y.v));
    const __m256d xy2 = _mm256_castps_pd(_mm256_unpackhi_ps(x.v, y.v));
    const __m256d z0 = _mm256_castps_pd(_mm256_unpacklo_ps(z.v, zero));
    const __m256d z2 = _mm256_castps_pd(_mm256_unpackhi_ps(z.v, zero));
    const auto two = [records](__m256d change, std::uint32_t a, std::uint32_t b) {
      float* const low = at_offset(records, a);
      float* const high = at_offset(records, b);
      const __m256 c = _mm256_castpd_ps(change);
      _mm_store_ps(low, _mm_sub_ps(_mm_load_ps(low), _mm256_castps256_ps128(c)));
      _mm_store_ps(high, _mm_sub_ps(_mm_load_ps(high), _mm256_extractf128_ps(c, 1)));
    };
    two(_mm256_unpacklo_pd(xy0, z0), j[0], j[4]);
    two(_mm256_unpackhi_pd(xy0, z0), j[1], j[5]);
    two(_mm256_unpacklo_pd(xy2, z2), j[2], j[6]);
    two(_mm256_unpackhi_pd(xy2, z2), j[3], j[7]);
  }
  static Integers all_integers(std::int32_t i) { return _mm256_set1_epi32(i); }
  static FloatPack difference(Integers a, Integers b) {
    return {_mm256_cvtepi32_ps(_mm256_sub_epi32(a, b))};
  }
};

/// Appends values[lane] for each set lane of the mask. May write up to DoublePack::width entries
/// past the end.
inline std::uint32_t* append_selected(std::uint32_t* out, unsigned mask,
                                      const std::uint32_t* values) {
  const __m256i lanes = selected_lanes(mask);
  const __m256i loaded =
      _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values)));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                   _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(loaded, lanes)));
  return out + __builtin_popcount(mask);
}

/// Appends the entries, out of 8, whose bits are set. May write up to 8 entries past the end.
inline std::uint32_t* append(std::uint32_t* out, unsigned mask, const std::uint32_t* entries) {
  const __m256i lanes = selected_lanes(mask);
  const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(entries));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(all, lanes));
  return out + __builtin_popcount(mask);
}
inline std::uint16_t* append(std::uint16_t* out, unsigned mask, const std::uint16_t* entries) {
  const __m256i lanes = selected_lanes(mask);
  const __m256i all =
      _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(entries)));
  const __m256i kept = _mm256_permutevar8x32_epi32(all, lanes);
  // Eight values below 2^16 are packed to 16 bits, each half of the register separately.
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(kept, kept), 0x08);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(packed));
  return out + __builtin_popcount(mask);
}

/// Decodes whole multiples of 8 entries (avx512.hpp says how an entry is made).
template <int addend_bits, int shift>
struct EntryDecoder {
  __m256i quarters[4];
  explicit EntryDecoder(const std::uint32_t (&table)[32]) {
    for (int k = 0; k < 4; ++k) {
      quarters[k] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(table + 8 * k));
    }
  }
  void operator()(const std::uint16_t* entries, std::size_t count, std::uint32_t* out) const {
    for (std::size_t k = 0; k < count; k += 8) {
      const __m256i entry =
          _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(entries + k)));
      // The table of 32 numbers is in four registers. The upper two bits of the place select the
      // register: each is shifted to the sign bit of its lane, which the blend instruction tests.
      const __m256i place = _mm256_srli_epi32(entry, addend_bits);
      const auto from = [&](int quarter) {
        return _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(quarters[quarter], place));
      };
      const __m256 odd = _mm256_castsi256_ps(_mm256_slli_epi32(place, 28));
      const __m256 high = _mm256_castsi256_ps(_mm256_slli_epi32(place, 27));
      const __m256 begin = _mm256_blendv_ps(_mm256_blendv_ps(from(0), from(1), odd),
                                            _mm256_blendv_ps(from(2), from(3), odd), high);
      const __m256i offset = _mm256_and_si256(entry, _mm256_set1_epi32((1 << addend_bits) - 1));
      _mm256_storeu_si256(
          reinterpret_cast<__m256i*>(out + k),
          _mm256_slli_epi32(_mm256_add_epi32(_mm256_castps_si256(begin), offset), shift));
    }
  }
};

}  // namespace
}  // namespace sterna::md
