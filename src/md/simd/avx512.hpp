#pragma once

// AVX-512: registers of 64 bytes, masks in mask registers. Included by vectors.hpp. The files of
// the other instruction sets define the same names.

#include <immintrin.h>

#include <cstdint>

#include "md/simd/vector_types.hpp"

namespace sterna::md {
namespace {

inline Vector<double> square_root(Vector<double> x) {
  return _mm512_sqrt_pd(x);
}
inline Vector<float> square_root(Vector<float> x) {
  return _mm512_sqrt_ps(x);
}

/// 1/x from an estimate of 14 bits, refined to rounding by a fourth-order step. Unlike a division,
/// it overlaps with the other arithmetic of a kernel.
inline __m512d refined_inverse(__m512d x, __m512d guess) {
  const __m512d e = _mm512_fnmadd_pd(x, guess, _mm512_set1_pd(1.0));
  return _mm512_fmadd_pd(guess, _mm512_fmadd_pd(_mm512_fmadd_pd(e, e, e), e, e), guess);
}

/// 1/x to rounding; x must not be denormal.
inline Vector<double> inverse(Vector<double> x) {
  return refined_inverse(x, _mm512_rcp14_pd(x));
}

/// 1/sqrt(x) to some units in the last place, for normal positive x: an estimate of 14 bits,
/// refined by two second-order steps.
inline Vector<double> inverse_root(Vector<double> x) {
  return refined_inverse_root(x, refined_inverse_root(x, Vector<double>(_mm512_rsqrt14_pd(x))));
}
inline Vector<float> inverse_root(Vector<float> x) {
  return refined_inverse_root(x, Vector<float>(_mm512_rsqrt14_ps(x)));
}

/// Two thirds of 1/sqrt(x)^3. Leaving out the factor 3/2 saves an operation in the refinement.
inline Vector<float> two_thirds_of_inverse_root_cubed(Vector<float> x) {
  return two_thirds_of_inverse_root_cubed(x, Vector<float>(_mm512_rsqrt14_ps(x)));
}

/// Whether any lane is set.
inline bool any(Bits<double> mask) {
  return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask)) != 0;
}
inline bool any(Bits<float> mask) {
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(mask)) != 0;
}

/// table[places[lane]] for each lane. `places` is aligned to a vector.
inline Vector<double> gather(const double* table, const std::uint32_t* places) {
  return _mm512_i32gather_pd(_mm256_load_si256(reinterpret_cast<const __m256i*>(places)), table, 8);
}
inline Vector<float> gather(const float* table, const std::uint32_t* places) {
  return _mm512_i32gather_ps(_mm512_load_si512(places), table, 4);
}

struct DoublePack {
  using Real = double;
  using Mask = __mmask8;
  using Indices = __m512i;
  static constexpr int width = 8;
  __m512d v;

  static DoublePack zero() { return {_mm512_setzero_pd()}; }
  static DoublePack all(double s) { return {_mm512_set1_pd(s)}; }
  static DoublePack load(const double* p) { return {_mm512_load_pd(p)}; }
  void store(double* p) const { _mm512_store_pd(p, v); }
  void store(float* p) const { _mm256_store_ps(p, _mm512_cvtpd_ps(v)); }
  /// Writes the lanes whose bits are set, packed to the front; may write up to `width` numbers in
  /// all.
  void store_selected(double* p, unsigned lanes) const {
    _mm512_storeu_pd(p, _mm512_maskz_compress_pd(static_cast<__mmask8>(lanes), v));
  }
  friend DoublePack operator+(DoublePack a, DoublePack b) { return {_mm512_add_pd(a.v, b.v)}; }
  friend DoublePack operator-(DoublePack a, DoublePack b) { return {_mm512_sub_pd(a.v, b.v)}; }
  friend DoublePack operator*(DoublePack a, DoublePack b) { return {_mm512_mul_pd(a.v, b.v)}; }
  /// a b + c and c - a b, rounded once. They are written out, with contraction off, so that a force
  /// has the same bits whether or not the energy is computed with it.
  static DoublePack fma(DoublePack a, DoublePack b, DoublePack c) {
    return {_mm512_fmadd_pd(a.v, b.v, c.v)};
  }
  static DoublePack fnma(DoublePack a, DoublePack b, DoublePack c) {
    return {_mm512_fnmadd_pd(a.v, b.v, c.v)};
  }
  friend Mask operator<(DoublePack a, DoublePack b) {
    return _mm512_cmp_pd_mask(a.v, b.v, _CMP_LT_OQ);
  }
  /// 1/x to 2^-52 in lanes whose mask is set, 0 elsewhere. The scale is needed in single precision
  /// only.
  static DoublePack inverse(Mask mask, DoublePack x, DoublePack) {
    return {refined_inverse(x.v, _mm512_maskz_rcp14_pd(mask, x.v))};
  }
  /// 1/x by a division instruction: see `divided_inverse` in vectors.hpp.
  static DoublePack divided_inverse(Mask mask, DoublePack x) {
    return {_mm512_maskz_div_pd(mask, _mm512_set1_pd(1.0), x.v)};
  }
  static DoublePack sqrt(DoublePack x) { return {_mm512_sqrt_pd(x.v)}; }
  /// 1/sqrt(x) to 2^-52 in lanes whose mask is set, 0 elsewhere: an estimate of 14 bits, refined by
  /// one fourth-order step.
  static DoublePack inverse_sqrt(Mask mask, DoublePack x) {
    const __m512d r = _mm512_maskz_rsqrt14_pd(mask, x.v);
    const __m512d e = _mm512_fnmadd_pd(_mm512_mul_pd(x.v, r), r, _mm512_set1_pd(1.0));
    const __m512d p = _mm512_fmadd_pd(_mm512_set1_pd(0.3125), e, _mm512_set1_pd(0.375));
    const __m512d q = _mm512_fmadd_pd(p, e, _mm512_set1_pd(0.5));
    return {_mm512_fmadd_pd(_mm512_mul_pd(r, e), q, r)};
  }
  /// The mask without one lane.
  static Mask without(Mask mask, int lane) {
    return _kand_mask8(mask, static_cast<Mask>(~(1u << lane)));
  }
  /// The mask restricted to the lanes whose bits are set.
  static Mask keep(Mask mask, unsigned lanes) {
    return _kand_mask8(mask, static_cast<Mask>(lanes));
  }
  static DoublePack select(Mask mask, DoublePack x) { return {_mm512_maskz_mov_pd(mask, x.v)}; }
  static DoublePack blend(Mask mask, DoublePack a, DoublePack b) {
    return {_mm512_mask_mov_pd(b.v, mask, a.v)};
  }
  double sum() const { return _mm512_reduce_add_pd(v); }
  /// The sums over the lanes of up to four vectors, which share their shuffles.
  template <int count>
  static void sums(const DoublePack (&v)[count], double (&out)[count]) {
    if constexpr (count == 1) {
      out[0] = v[0].sum();
    } else {
      // Each 128 bits hold one partial sum of each of two vectors.
      const auto two = [](__m512d a, __m512d b) {
        const __m512d sum = _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
        const __m256d half =
            _mm256_add_pd(_mm512_castpd512_pd256(sum), _mm512_extractf64x4_pd(sum, 1));
        return _mm_add_pd(_mm256_castpd256_pd128(half), _mm256_extractf128_pd(half, 1));
      };
      alignas(16) double result[4];
      _mm_store_pd(result, two(v[0].v, v[1].v));
      if constexpr (count > 2) _mm_store_pd(result + 2, two(v[2].v, v[count - 1].v));
      for (int k = 0; k < count; ++k) out[k] = result[k];
    }
  }
  /// table[index] for each lane, from a table of `count` numbers. A table that fits into a register
  /// is loaded whole, with the memory behind it, in place of a gather.
  static DoublePack lookup(const double* table, int count, Indices indices) {
    if (count > width) return {_mm512_i64gather_pd(indices, table, 8)};
    return {_mm512_permutexvar_pd(indices, _mm512_loadu_pd(table))};
  }
  static unsigned bits(Mask mask) { return mask; }
  static DoublePack min(DoublePack a, DoublePack b) { return {_mm512_min_pd(a.v, b.v)}; }
  /// The doubles whose bit patterns were loaded as indices.
  static DoublePack numbers(Indices bits) { return {_mm512_castsi512_pd(bits)}; }

  /// Loads four consecutive numbers, aligned to their size, at each of `width` places: out[c] has
  /// number c of every place.
  static void load_four(const double* records, const std::uint32_t* j, DoublePack (&out)[4]) {
    // A masked broadcast is a load and a blend, so the shuffle units stay free for the transpose.
    const auto two = [&](std::uint32_t a, std::uint32_t b) {
      return _mm512_mask_broadcast_f64x4(_mm512_castpd256_pd512(_mm256_load_pd(records + a)), 0xf0,
                                         _mm256_load_pd(records + b));
    };
    const __m512d p02 = two(j[0], j[2]);
    const __m512d p13 = two(j[1], j[3]);
    const __m512d p46 = two(j[4], j[6]);
    const __m512d p57 = two(j[5], j[7]);
    const __m512d xz0 = _mm512_unpacklo_pd(p02, p13);
    const __m512d yt0 = _mm512_unpackhi_pd(p02, p13);
    const __m512d xz2 = _mm512_unpacklo_pd(p46, p57);
    const __m512d yt2 = _mm512_unpackhi_pd(p46, p57);
    out[0].v = _mm512_shuffle_f64x2(xz0, xz2, 0x88);
    out[1].v = _mm512_shuffle_f64x2(yt0, yt2, 0x88);
    out[2].v = _mm512_shuffle_f64x2(xz0, xz2, 0xdd);
    out[3].v = _mm512_shuffle_f64x2(yt0, yt2, 0xdd);
  }

  /// Loads three numbers and an index from each of `width` records. Offsets of records are in units
  /// of 8 bytes.
  [[gnu::always_inline]] static void load_records(const double* records,
                                                  const std::uint32_t* offsets, DoublePack& x,
                                                  DoublePack& y, DoublePack& z, Indices& last) {
    DoublePack four[4];
    load_four(records, offsets, four);
    x = four[0];
    y = four[1];
    z = four[2];
    last = _mm512_castpd_si512(four[3].v);
  }
  /// Subtracts from three numbers at each of these offsets; the triples lie without gaps. It stores
  /// two numbers and one, because a store of four would overlap the next triple and delay its load.
  [[gnu::always_inline]] static void subtract_from_triples(double* triples,
                                                           const std::uint32_t* offsets,
                                                           DoublePack x, DoublePack y,
                                                           DoublePack z) {
    alignas(64) double xy[2 * width], last[width];
    _mm512_store_pd(xy, _mm512_unpacklo_pd(x.v, y.v));
    _mm512_store_pd(xy + width, _mm512_unpackhi_pd(x.v, y.v));
    _mm512_store_pd(last, z.v);
    for (int lane = 0; lane < width; ++lane) {
      double* const to = triples + std::size_t{offsets[lane]} / 4 * 3;
      const double* const change = xy + lane % 2 * width + lane / 2 * 2;
      _mm_storeu_pd(to, _mm_sub_pd(_mm_loadu_pd(to), _mm_load_pd(change)));
      to[2] -= last[lane];
    }
  }
};

struct FloatPack {
  using Real = float;
  using Mask = __mmask16;
  using Integers = __m512i;
  using Indices = __m512i;
  static constexpr int width = 16;
  __m512 v;

  static FloatPack zero() { return {_mm512_setzero_ps()}; }
  static FloatPack all(double s) { return {_mm512_set1_ps(static_cast<float>(s))}; }
  static FloatPack load(const float* p) { return {_mm512_loadu_ps(p)}; }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
  void store_selected(float* p, unsigned lanes) const {
    _mm512_storeu_ps(p, _mm512_maskz_compress_ps(static_cast<__mmask16>(lanes), v));
  }
  friend FloatPack operator+(FloatPack a, FloatPack b) { return {_mm512_add_ps(a.v, b.v)}; }
  friend FloatPack operator-(FloatPack a, FloatPack b) { return {_mm512_sub_ps(a.v, b.v)}; }
  friend FloatPack operator*(FloatPack a, FloatPack b) { return {_mm512_mul_ps(a.v, b.v)}; }
  static FloatPack fma(FloatPack a, FloatPack b, FloatPack c) {
    return {_mm512_fmadd_ps(a.v, b.v, c.v)};
  }
  static FloatPack fnma(FloatPack a, FloatPack b, FloatPack c) {
    return {_mm512_fnmadd_ps(a.v, b.v, c.v)};
  }
  friend Mask operator<(FloatPack a, FloatPack b) {
    return _mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ);
  }
  /// scale/x in lanes whose mask is set, 0 elsewhere. The division overlaps with multiplications.
  static FloatPack inverse(Mask mask, FloatPack x, FloatPack scale) {
    return {_mm512_maskz_div_ps(mask, scale.v, x.v)};
  }
  static FloatPack sqrt(FloatPack x) { return {_mm512_sqrt_ps(x.v)}; }
  static FloatPack inverse_sqrt(Mask mask, FloatPack x) {
    const __m512 r = _mm512_maskz_rsqrt14_ps(mask, x.v);
    const __m512 e = _mm512_fnmadd_ps(_mm512_mul_ps(x.v, r), r, _mm512_set1_ps(1.0f));
    return {_mm512_fmadd_ps(_mm512_mul_ps(r, e), _mm512_set1_ps(0.5f), r)};
  }
  /// The mask without one lane.
  static Mask without(Mask mask, int lane) {
    return _kand_mask16(mask, static_cast<Mask>(~(1u << lane)));
  }
  /// The mask restricted to the lanes whose bits are set.
  static Mask keep(Mask mask, unsigned lanes) {
    return _kand_mask16(mask, static_cast<Mask>(lanes));
  }
  static FloatPack select(Mask mask, FloatPack x) { return {_mm512_maskz_mov_ps(mask, x.v)}; }
  static FloatPack min(FloatPack a, FloatPack b) { return {_mm512_min_ps(a.v, b.v)}; }
  static FloatPack max(FloatPack a, FloatPack b) { return {_mm512_max_ps(a.v, b.v)}; }
  static FloatPack numbers(Indices bits) { return {_mm512_castsi512_ps(bits)}; }
  static FloatPack blend(Mask mask, FloatPack a, FloatPack b) {
    return {_mm512_mask_mov_ps(b.v, mask, a.v)};
  }
  double sum() const { return static_cast<double>(_mm512_reduce_add_ps(v)); }
  template <int count>
  static void sums(const FloatPack (&v)[count], double (&out)[count]) {
    if constexpr (count == 1) {
      out[0] = v[0].sum();
    } else {
      const auto two = [](__m512 a, __m512 b) {
        return _mm512_castps_pd(_mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b)));
      };
      const __m512d low = two(v[0].v, v[1].v);
      const __m512d high = count > 2 ? two(v[count > 2 ? 2 : 0].v, v[count - 1].v) : low;
      // Each 128 bits hold one partial sum of each vector.
      const __m512d sum =
          _mm512_castps_pd(_mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(low, high)),
                                         _mm512_castpd_ps(_mm512_unpackhi_pd(low, high))));
      const __m256 half = _mm256_add_ps(_mm256_castpd_ps(_mm512_castpd512_pd256(sum)),
                                        _mm256_castpd_ps(_mm512_extractf64x4_pd(sum, 1)));
      alignas(32) double result[4];
      _mm256_store_pd(result, _mm256_cvtps_pd(_mm_add_ps(_mm256_castps256_ps128(half),
                                                         _mm256_extractf128_ps(half, 1))));
      for (int k = 0; k < count; ++k) out[k] = result[k];
    }
  }
  static FloatPack lookup(const float* table, int count, Indices indices) {
    if (count > width) return {_mm512_i32gather_ps(indices, table, 4)};
    return {_mm512_permutexvar_ps(indices, _mm512_loadu_ps(table))};
  }
  static unsigned bits(Mask mask) { return mask; }
  /// A mask with one bit for each place whose byte is not 0. Places come in whole vectors; four
  /// bytes are read at each.
  static unsigned nonzero_bytes(const std::uint8_t* bytes, const std::uint32_t* places) {
    const __m512i found = _mm512_i32gather_epi32(_mm512_loadu_si512(places), bytes, 1);
    return _mm512_test_epi32_mask(found, _mm512_set1_epi32(0xff));
  }

  static void load_four(const float* records, const std::uint32_t* j, FloatPack (&out)[4]) {
    const auto load = [&](std::uint32_t a) { return _mm_load_ps(records + a); };
    const auto four = [&load](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
      __m512 r = _mm512_castps128_ps512(load(a));
      r = _mm512_mask_broadcast_f32x4(r, 0x00f0, load(b));
      r = _mm512_mask_broadcast_f32x4(r, 0x0f00, load(c));
      return _mm512_mask_broadcast_f32x4(r, 0xf000, load(d));
    };
    const __m512 p0 = four(j[0], j[4], j[8], j[12]);
    const __m512 p1 = four(j[1], j[5], j[9], j[13]);
    const __m512 p2 = four(j[2], j[6], j[10], j[14]);
    const __m512 p3 = four(j[3], j[7], j[11], j[15]);
    const __m512d xy0 = _mm512_castps_pd(_mm512_unpacklo_ps(p0, p1));
    const __m512d zt0 = _mm512_castps_pd(_mm512_unpackhi_ps(p0, p1));
    const __m512d xy2 = _mm512_castps_pd(_mm512_unpacklo_ps(p2, p3));
    const __m512d zt2 = _mm512_castps_pd(_mm512_unpackhi_ps(p2, p3));
    out[0].v = _mm512_castpd_ps(_mm512_unpacklo_pd(xy0, xy2));
    out[1].v = _mm512_castpd_ps(_mm512_unpackhi_pd(xy0, xy2));
    out[2].v = _mm512_castpd_ps(_mm512_unpacklo_pd(zt0, zt2));
    out[3].v = _mm512_castpd_ps(_mm512_unpackhi_pd(zt0, zt2));
  }

  /// Loads three integers and an index from each of `width` records. Offsets of records are in
  /// units of 8 bytes.
  [[gnu::always_inline]] static void load_records(const std::int32_t* records,
                                                  const std::uint32_t* j, Integers& x, Integers& y,
                                                  Integers& z, Indices& last) {
    const auto load = [records](std::uint32_t a) {
      return _mm_load_si128(reinterpret_cast<const __m128i*>(at_offset(records, a)));
    };
    const auto four = [&load](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
      __m512i r = _mm512_castsi128_si512(load(a));
      r = _mm512_mask_broadcast_i32x4(r, 0x00f0, load(b));
      r = _mm512_mask_broadcast_i32x4(r, 0x0f00, load(c));
      return _mm512_mask_broadcast_i32x4(r, 0xf000, load(d));
    };
    const __m512i p0 = four(j[0], j[4], j[8], j[12]);
    const __m512i p1 = four(j[1], j[5], j[9], j[13]);
    const __m512i p2 = four(j[2], j[6], j[10], j[14]);
    const __m512i p3 = four(j[3], j[7], j[11], j[15]);
    const __m512i xy0 = _mm512_unpacklo_epi32(p0, p1);
    const __m512i zt0 = _mm512_unpackhi_epi32(p0, p1);
    const __m512i xy2 = _mm512_unpacklo_epi32(p2, p3);
    const __m512i zt2 = _mm512_unpackhi_epi32(p2, p3);
    x = _mm512_unpacklo_epi64(xy0, xy2);
    y = _mm512_unpackhi_epi64(xy0, xy2);
    z = _mm512_unpacklo_epi64(zt0, zt2);
    last = _mm512_unpackhi_epi64(zt0, zt2);
  }
  /// Subtracts from the first three of the four numbers at each of these offsets.
  [[gnu::always_inline]] static void subtract_from_records(float* records, const std::uint32_t* j,
                                                           FloatPack x, FloatPack y, FloatPack z) {
    const __m512 zero = _mm512_setzero_ps();
    const __m512d xy0 = _mm512_castps_pd(_mm512_unpacklo_ps(x.v, y.v));
    const __m512d xy2 = _mm512_castps_pd(_mm512_unpackhi_ps(x.v, y.v));
    const __m512d z0 = _mm512_castps_pd(_mm512_unpacklo_ps(z.v, zero));
    const __m512d z2 = _mm512_castps_pd(_mm512_unpackhi_ps(z.v, zero));
    const auto four = [records](__m512d change, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                std::uint32_t d) {
      float* const at[4] = {at_offset(records, a), at_offset(records, b), at_offset(records, c),
                            at_offset(records, d)};
      const __m256 low = _mm256_castpd_ps(_mm512_castpd512_pd256(change));
      const __m256 high = _mm256_castpd_ps(_mm512_extractf64x4_pd(change, 1));
      const auto subtract = [](float* to, __m128 f) {
        _mm_store_ps(to, _mm_sub_ps(_mm_load_ps(to), f));
      };
      subtract(at[0], _mm256_castps256_ps128(low));
      subtract(at[1], _mm256_extractf128_ps(low, 1));
      subtract(at[2], _mm256_castps256_ps128(high));
      subtract(at[3], _mm256_extractf128_ps(high, 1));
    };
    four(_mm512_unpacklo_pd(xy0, z0), j[0], j[4], j[8], j[12]);
    four(_mm512_unpackhi_pd(xy0, z0), j[1], j[5], j[9], j[13]);
    four(_mm512_unpacklo_pd(xy2, z2), j[2], j[6], j[10], j[14]);
    four(_mm512_unpackhi_pd(xy2, z2), j[3], j[7], j[11], j[15]);
  }
  static Integers all_integers(std::int32_t i) { return _mm512_set1_epi32(i); }
  static FloatPack difference(Integers a, Integers b) {
    return {_mm512_cvtepi32_ps(_mm512_sub_epi32(a, b))};
  }
};

/// Appends values[lane] for each set lane of the mask. May write up to DoublePack::width entries
/// past the end.
inline std::uint32_t* append_selected(std::uint32_t* out, unsigned mask,
                                      const std::uint32_t* values) {
  const __m256i loaded = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                      _mm256_maskz_compress_epi32(static_cast<__mmask8>(mask), loaded));
  return out + __builtin_popcount(mask);
}

/// Appends the entries, out of 16, whose bits are set. May write up to 16 entries past the end.
inline std::uint16_t* append(std::uint16_t* out, unsigned mask, const std::uint16_t* entries) {
  const __m512i wide =
      _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(entries)));
  const __m512i kept = _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), wide);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtepi32_epi16(kept));
  return out + __builtin_popcount(mask);
}
inline std::uint32_t* append(std::uint32_t* out, unsigned mask, const std::uint32_t* entries) {
  _mm512_storeu_si512(
      out, _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), _mm512_loadu_si512(entries)));
  return out + __builtin_popcount(mask);
}

/// Decodes entries. The upper 5 bits of an entry are a place in a table, the lower bits an addend.
/// The result is (table[place] + addend) times 2^shift. Reads and writes whole multiples of 16
/// entries.
template <int addend_bits, int shift>
struct EntryDecoder {
  __m512i low, high;
  explicit EntryDecoder(const std::uint32_t (&table)[32])
      : low(_mm512_loadu_si512(table)), high(_mm512_loadu_si512(table + 16)) {}
  void operator()(const std::uint16_t* entries, std::size_t count, std::uint32_t* out) const {
    for (std::size_t k = 0; k < count; k += 16) {
      const __m512i entry =
          _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(entries + k)));
      const __m512i begin =
          _mm512_permutex2var_epi32(low, _mm512_srli_epi32(entry, addend_bits), high);
      const __m512i offset = _mm512_and_si512(entry, _mm512_set1_epi32((1 << addend_bits) - 1));
      _mm512_store_si512(out + k, _mm512_slli_epi32(_mm512_add_epi32(begin, offset), shift));
    }
  }
};

}  // namespace
}  // namespace sterna::md
