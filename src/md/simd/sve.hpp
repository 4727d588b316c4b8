#pragma once

// SVE with registers of 32 or 64 bytes, fixed when a file is compiled. Included by vectors.hpp;
// avx512.hpp explains the names.
//
// Quotients and roots are refined from estimates of 8 bits: on the A64FX, for whose 64 bytes this is
// foremost, a division or a root keeps its pipeline busy for 98 cycles in single and 154 in double
// precision, and an operation of the refinement for half a cycle (model in LLVM 19). Records are
// gathered in units of 8 bytes, which such processors load in half the time of units of 4 bytes.

#include <arm_sve.h>

#include <cstddef>
#include <cstdint>

#include "md/simd/vector_types.hpp"

namespace sterna::md {
namespace {

/// The mask of a pack. Each lane of 8 bytes has 8 bits, of which the lowest counts.
typedef svbool_t SveMask __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));

[[gnu::always_inline]] inline svbool_t all_doubles() {
  return svptrue_b64();
}
[[gnu::always_inline]] inline svbool_t all_floats() {
  return svptrue_b32();
}

/// a b + c and c - a b, rounded once.
[[gnu::always_inline]] inline Vector<double> fused(Vector<double> a, Vector<double> b,
                                                   Vector<double> c) {
  return svmla_f64_x(all_doubles(), c, a, b);
}
[[gnu::always_inline]] inline Vector<float> fused(Vector<float> a, Vector<float> b,
                                                  Vector<float> c) {
  return svmla_f32_x(all_floats(), c, a, b);
}
[[gnu::always_inline]] inline Vector<double> fused_difference(Vector<double> a, Vector<double> b,
                                                              Vector<double> c) {
  return svmls_f64_x(all_doubles(), c, a, b);
}
[[gnu::always_inline]] inline Vector<float> fused_difference(Vector<float> a, Vector<float> b,
                                                             Vector<float> c) {
  return svmls_f32_x(all_floats(), c, a, b);
}
/// a b + c in lanes whose mask is set, 0 elsewhere.
[[gnu::always_inline]] inline Vector<double> fused_where(SveMask mask, Vector<double> a,
                                                         Vector<double> b, Vector<double> c) {
  return svmla_f64_z(mask, c, a, b);
}
[[gnu::always_inline]] inline Vector<float> fused_where(SveMask mask, Vector<float> a,
                                                        Vector<float> b, Vector<float> c) {
  return svmla_f32_z(mask, c, a, b);
}

/// numerator/x in lanes whose mask is set, 0 elsewhere. From an estimate g and e = 1 - x g, 1/x is
/// g (1 + e + e^2 + ...): the powers up to the sixth give double precision, those up to the third
/// single precision.
[[gnu::always_inline]] inline Vector<double> refined_quotient(SveMask mask, Vector<double> x,
                                                              Vector<double> numerator) {
  const Vector<double> guess = svrecpe_f64(x);
  const Vector<double> e = fused_difference(x, guess, all<double>(1.0));
  const Vector<double> start = numerator * guess;
  const Vector<double> square = e * e;
  const Vector<double> two = fused(e, e, e);                  // e + e^2
  const Vector<double> more = fused(square, square, square);  // e^2 + e^4
  return fused_where(mask, start, fused(two, more, two), start);
}
[[gnu::always_inline]] inline Vector<float> refined_quotient(SveMask mask, Vector<float> x,
                                                             Vector<float> numerator) {
  const Vector<float> guess = svrecpe_f32(x);
  const Vector<float> e = fused_difference(x, guess, all<float>(1.0));
  const Vector<float> start = numerator * guess;
  return fused_where(mask, start, fused(fused(e, e, e), e, e), start);
}

/// 1/x to rounding; x must not be denormal.
[[gnu::always_inline]] inline Vector<double> inverse(Vector<double> x) {
  return refined_quotient(all_doubles(), x, all<double>(1.0));
}

/// 1/sqrt(x) to 15 bits: an estimate of 8 bits, refined by one second-order step.
[[gnu::always_inline]] inline Vector<double> estimated_inverse_root(Vector<double> x) {
  const Vector<double> r = svrsqrte_f64(x);
  return r * Vector<double>(svrsqrts_f64(x * r, r));
}
[[gnu::always_inline]] inline Vector<float> estimated_inverse_root(Vector<float> x) {
  const Vector<float> r = svrsqrte_f32(x);
  return r * Vector<float>(svrsqrts_f32(x * r, r));
}

/// 1/sqrt(x) to 2 units in the last place, for normal positive x, in lanes whose mask is set, 0
/// elsewhere: by a fourth-order step, in single precision by a second-order one.
[[gnu::always_inline]] inline Vector<double> inverse_root_where(SveMask mask, Vector<double> x) {
  const Vector<double> r = estimated_inverse_root(x);
  const Vector<double> e = fused_difference(x * r, r, all<double>(1.0));
  const Vector<double> p = fused(all<double>(0.3125), e, all<double>(0.375));
  return fused_where(mask, r * e, fused(p, e, all<double>(0.5)), r);
}
[[gnu::always_inline]] inline Vector<float> inverse_root_where(SveMask mask, Vector<float> x) {
  const Vector<float> r = estimated_inverse_root(x);
  const Vector<float> e = fused_difference(x * r, r, all<float>(1.0));
  return fused_where(mask, r * e, all<float>(0.5), r);
}
inline Vector<double> inverse_root(Vector<double> x) {
  return inverse_root_where(all_doubles(), x);
}
inline Vector<float> inverse_root(Vector<float> x) {
  return inverse_root_where(all_floats(), x);
}

/// sqrt(x) for x of 0 or a normal positive number: the product of x and its inverse root, and half
/// of what its square lacks.
[[gnu::always_inline]] inline Vector<double> square_root(Vector<double> x) {
  const SveMask above_zero = svcmpgt_n_f64(all_doubles(), x, 0.0);
  const Vector<double> r = inverse_root(x), root = x * r;
  return fused_where(above_zero, fused_difference(root, root, x), 0.5 * r, root);
}
[[gnu::always_inline]] inline Vector<float> square_root(Vector<float> x) {
  const SveMask above_zero = svcmpgt_n_f32(all_floats(), x, 0.0f);
  const Vector<float> r = inverse_root(x), root = x * r;
  return fused_where(above_zero, fused_difference(root, root, x), 0.5f * r, root);
}

/// Two thirds of 1/sqrt(x)^3. Leaving out the factor 3/2 saves an operation in the refinement.
inline Vector<float> two_thirds_of_inverse_root_cubed(Vector<float> x) {
  return two_thirds_of_inverse_root_cubed(x, estimated_inverse_root(x));
}

inline bool any(Bits<double> mask) {
  return svptest_any(all_doubles(), svcmpne_n_s64(all_doubles(), mask, 0));
}
inline bool any(Bits<float> mask) {
  return svptest_any(all_floats(), svcmpne_n_s32(all_floats(), mask, 0));
}

/// The numbers at some places, one for each lane of 8 bytes.
[[gnu::always_inline]] inline svuint64_t places_of_doubles(const std::uint32_t* places) {
  return svld1uw_u64(all_doubles(), places);
}

inline Vector<double> gather(const double* table, const std::uint32_t* places) {
  return svld1_gather_u64index_f64(all_doubles(), table, places_of_doubles(places));
}
inline Vector<float> gather(const float* table, const std::uint32_t* places) {
  return svld1_gather_u32index_f32(all_floats(), table, svld1_u32(all_floats(), places));
}

/// Bit k in lane k.
[[gnu::always_inline]] inline svuint64_t bits_of_doubles() {
  return svlsl_u64_x(all_doubles(), svdup_u64(1), svindex_u64(0, 1));
}
[[gnu::always_inline]] inline svuint32_t bits_of_floats() {
  return svlsl_u32_x(all_floats(), svdup_u32(1), svindex_u32(0, 1));
}
/// The lanes out of `among` whose bits are set.
[[gnu::always_inline]] inline svbool_t doubles_of(unsigned lanes, svbool_t among) {
  return svcmpne_n_u64(among, svand_n_u64_x(all_doubles(), bits_of_doubles(), lanes), 0);
}
[[gnu::always_inline]] inline svbool_t floats_of(unsigned lanes, svbool_t among) {
  return svcmpne_n_u32(among, svand_n_u32_x(all_floats(), bits_of_floats(), lanes), 0);
}

struct DoublePack {
  using Real = double;
  using Mask = SveMask;
  using Indices = Vector<std::int64_t>;
  static constexpr int width = lanes<double>;
  Vector<double> v;

  static DoublePack zero() { return {Vector<double>{}}; }
  static DoublePack all(double s) { return {md::all<double>(s)}; }
  static DoublePack load(const double* p) { return {load_unaligned<Vector<double>>(p)}; }
  void store(double* p) const { store_unaligned(p, v); }
  void store(float* p) const {
    // Each lane of 8 bytes has its float in its lower half.
    const svfloat32_t narrow = svcvt_f32_f64_x(all_doubles(), v);
    svst1w_u64(all_doubles(), reinterpret_cast<std::uint32_t*>(p), svreinterpret_u64_f32(narrow));
  }
  void store_selected(double* p, unsigned lanes) const {
    svst1_f64(all_doubles(), p, svcompact_f64(doubles_of(lanes, all_doubles()), v));
  }
  friend DoublePack operator+(DoublePack a, DoublePack b) { return {a.v + b.v}; }
  friend DoublePack operator-(DoublePack a, DoublePack b) { return {a.v - b.v}; }
  friend DoublePack operator*(DoublePack a, DoublePack b) { return {a.v * b.v}; }
  static DoublePack fma(DoublePack a, DoublePack b, DoublePack c) { return {fused(a.v, b.v, c.v)}; }
  static DoublePack fnma(DoublePack a, DoublePack b, DoublePack c) {
    return {fused_difference(a.v, b.v, c.v)};
  }
  friend Mask operator<(DoublePack a, DoublePack b) { return svcmplt_f64(all_doubles(), a.v, b.v); }
  static DoublePack inverse(Mask mask, DoublePack x, DoublePack scale) {
    return {refined_quotient(mask, x.v, scale.v)};
  }
  static DoublePack sqrt(DoublePack x) { return {square_root(x.v)}; }
  static DoublePack inverse_sqrt(Mask mask, DoublePack x) {
    return {inverse_root_where(mask, x.v)};
  }
  static Mask without(Mask mask, int lane) { return svcmpne_n_s64(mask, svindex_s64(0, 1), lane); }
  static Mask keep(Mask mask, unsigned lanes) { return doubles_of(lanes, mask); }
  static DoublePack select(Mask mask, DoublePack x) {
    return {svsel_f64(mask, x.v, Vector<double>{})};
  }
  static DoublePack blend(Mask mask, DoublePack a, DoublePack b) {
    return {svsel_f64(mask, a.v, b.v)};
  }
  double sum() const { return svaddv_f64(all_doubles(), v); }
  template <int count>
  static void sums(const DoublePack (&v)[count], double (&out)[count]) {
    for (int k = 0; k < count; ++k) out[k] = v[k].sum();
  }
  static DoublePack lookup(const double* table, int count, Indices indices) {
    if (count > width) {
      return {svld1_gather_s64index_f64(all_doubles(), table, indices)};
    }
    return {svtbl_f64(svld1_f64(all_doubles(), table), reinterpret_cast<Unsigned>(indices))};
  }
  static unsigned bits(Mask mask) {
    return static_cast<unsigned>(svorv_u64(mask, bits_of_doubles()));
  }
  static DoublePack min(DoublePack a, DoublePack b) {
    return {svminnm_f64_x(all_doubles(), a.v, b.v)};
  }
  static DoublePack numbers(Indices bits) { return {reinterpret_cast<Vector<double>>(bits)}; }

  static void load_four(const double* records, const std::uint32_t* j, DoublePack (&out)[4]) {
    const svuint64_t places = places_of_doubles(j);
    for (int c = 0; c < 4; ++c) {
      out[c].v = svld1_gather_u64index_f64(all_doubles(), records + c, places);
    }
  }
  [[gnu::always_inline]] static void load_records(const double* records,
                                                  const std::uint32_t* offsets, DoublePack& x,
                                                  DoublePack& y, DoublePack& z, Indices& last) {
    DoublePack four[4];
    load_four(records, offsets, four);
    x = four[0];
    y = four[1];
    z = four[2];
    last = reinterpret_cast<Indices>(four[3].v);
  }
  /// The triples of a vector are different ones, except for dummies, whose forces do not count.
  [[gnu::always_inline]] static void subtract_from_triples(double* triples,
                                                           const std::uint32_t* offsets,
                                                           DoublePack x, DoublePack y,
                                                           DoublePack z) {
    const svuint64_t triple = svlsr_n_u64_x(all_doubles(), places_of_doubles(offsets), 2);
    const svuint64_t places = svmul_n_u64_x(all_doubles(), triple, 3);
    const Vector<double> change[3] = {x.v, y.v, z.v};
    for (int c = 0; c < 3; ++c) {
      const Vector<double> before = svld1_gather_u64index_f64(all_doubles(), triples + c, places);
      svst1_scatter_u64index_f64(all_doubles(), triples + c, places, before - change[c]);
    }
  }

 private:
  typedef std::uint64_t Unsigned __attribute__((vector_size(vector_bytes)));
};

struct FloatPack {
  using Real = float;
  using Mask = SveMask;
  using Integers = Vector<std::int32_t>;
  using Indices = Vector<std::int32_t>;
  static constexpr int width = lanes<float>;
  Vector<float> v;

  static FloatPack zero() { return {Vector<float>{}}; }
  static FloatPack all(double s) { return {md::all<float>(s)}; }
  static FloatPack load(const float* p) { return {load_unaligned<Vector<float>>(p)}; }
  void store(float* p) const { store_unaligned(p, v); }
  void store_selected(float* p, unsigned lanes) const {
    svst1_f32(all_floats(), p, svcompact_f32(floats_of(lanes, all_floats()), v));
  }
  friend FloatPack operator+(FloatPack a, FloatPack b) { return {a.v + b.v}; }
  friend FloatPack operator-(FloatPack a, FloatPack b) { return {a.v - b.v}; }
  friend FloatPack operator*(FloatPack a, FloatPack b) { return {a.v * b.v}; }
  static FloatPack fma(FloatPack a, FloatPack b, FloatPack c) { return {fused(a.v, b.v, c.v)}; }
  static FloatPack fnma(FloatPack a, FloatPack b, FloatPack c) {
    return {fused_difference(a.v, b.v, c.v)};
  }
  friend Mask operator<(FloatPack a, FloatPack b) { return svcmplt_f32(all_floats(), a.v, b.v); }
  static FloatPack inverse(Mask mask, FloatPack x, FloatPack scale) {
    return {refined_quotient(mask, x.v, scale.v)};
  }
  static FloatPack sqrt(FloatPack x) { return {square_root(x.v)}; }
  static FloatPack inverse_sqrt(Mask mask, FloatPack x) { return {inverse_root_where(mask, x.v)}; }
  static Mask without(Mask mask, int lane) { return svcmpne_n_s32(mask, svindex_s32(0, 1), lane); }
  static Mask keep(Mask mask, unsigned lanes) { return floats_of(lanes, mask); }
  static FloatPack select(Mask mask, FloatPack x) {
    return {svsel_f32(mask, x.v, Vector<float>{})};
  }
  static FloatPack blend(Mask mask, FloatPack a, FloatPack b) {
    return {svsel_f32(mask, a.v, b.v)};
  }
  static FloatPack min(FloatPack a, FloatPack b) { return {svminnm_f32_x(all_floats(), a.v, b.v)}; }
  static FloatPack max(FloatPack a, FloatPack b) { return {svmaxnm_f32_x(all_floats(), a.v, b.v)}; }
  static FloatPack numbers(Indices bits) { return {reinterpret_cast<Vector<float>>(bits)}; }
  double sum() const { return static_cast<double>(svaddv_f32(all_floats(), v)); }
  template <int count>
  static void sums(const FloatPack (&v)[count], double (&out)[count]) {
    for (int k = 0; k < count; ++k) out[k] = v[k].sum();
  }
  static FloatPack lookup(const float* table, int count, Indices indices) {
    if (count > width) {
      return {svld1_gather_s32index_f32(all_floats(), table, indices)};
    }
    return {svtbl_f32(svld1_f32(all_floats(), table), reinterpret_cast<Unsigned>(indices))};
  }
  static unsigned bits(Mask mask) { return svorv_u32(mask, bits_of_floats()); }
  /// A mask with one bit for each place whose byte is not 0. Places come in whole vectors.
  static unsigned nonzero_bytes(const std::uint8_t* bytes, const std::uint32_t* places) {
    const svuint32_t found =
        svld1ub_gather_u32offset_u32(all_floats(), bytes, svld1_u32(all_floats(), places));
    return bits(svcmpne_n_u32(all_floats(), found, 0));
  }

  static void load_four(const float* records, const std::uint32_t* j, FloatPack (&out)[4]) {
    Pairs low[2], high[2];
    for (int half = 0; half < 2; ++half) {
      // Offsets in bytes.
      const svuint64_t places =
          svlsl_n_u64_x(all_doubles(), places_of_doubles(j + half * DoublePack::width), 2);
      const auto* const from = reinterpret_cast<const std::uint64_t*>(records);
      low[half] = svld1_gather_u64offset_u64(all_doubles(), from, places);
      high[half] = svld1_gather_u64offset_u64(all_doubles(), from + 1, places);
    }
    take_apart<Vector<float>>(low, out[0].v, out[1].v);
    take_apart<Vector<float>>(high, out[2].v, out[3].v);
  }
  [[gnu::always_inline]] static void load_records(const std::int32_t* records,
                                                  const std::uint32_t* j, Integers& x, Integers& y,
                                                  Integers& z, Indices& last) {
    Pairs low[2], high[2];
    for (int half = 0; half < 2; ++half) {
      const svuint64_t places = places_of_doubles(j + half * DoublePack::width);
      const auto* const from = reinterpret_cast<const std::uint64_t*>(records);
      low[half] = svld1_gather_u64index_u64(all_doubles(), from, places);
      high[half] = svld1_gather_u64index_u64(all_doubles(), from + 1, places);
    }
    take_apart<Integers>(low, x, y);
    take_apart<Integers>(high, z, last);
  }
  /// The records of a vector are different ones, except for dummies, whose forces do not count.
  [[gnu::always_inline]] static void subtract_from_records(float* records, const std::uint32_t* j,
                                                           FloatPack x, FloatPack y, FloatPack z) {
    const auto subtract =
        [](float* from, svuint64_t places, svfloat32_t change) __attribute__((always_inline)) {
      auto* const pairs = reinterpret_cast<std::uint64_t*>(from);
      const svuint64_t before = svld1_gather_u64index_u64(all_doubles(), pairs, places);
      const svfloat32_t after = svsub_f32_x(all_floats(), svreinterpret_f32_u64(before), change);
      svst1_scatter_u64index_u64(all_doubles(), pairs, places, svreinterpret_u64_f32(after));
    };
    const Vector<float> none{};
    const svuint64_t first = places_of_doubles(j);
    const svuint64_t second = places_of_doubles(j + DoublePack::width);
    subtract(records, first, svzip1_f32(x.v, y.v));
    subtract(records, second, svzip2_f32(x.v, y.v));
    subtract(records + 2, first, svzip1_f32(z.v, none));
    subtract(records + 2, second, svzip2_f32(z.v, none));
  }
  static Integers all_integers(std::int32_t i) { return i - Integers{}; }
  static FloatPack difference(Integers a, Integers b) {
    return {__builtin_convertvector(a - b, Vector<float>)};
  }

 private:
  typedef std::uint32_t Unsigned __attribute__((vector_size(vector_bytes)));
  /// Two numbers of 4 bytes in each lane.
  typedef std::uint64_t Pairs __attribute__((vector_size(vector_bytes)));
  /// The first and the second number of all pairs.
  template <class V>
  [[gnu::always_inline]] static void take_apart(const Pairs (&pairs)[2], V& first, V& second) {
    const auto a = reinterpret_cast<Unsigned>(pairs[0]), b = reinterpret_cast<Unsigned>(pairs[1]);
    const Unsigned even = svuzp1_u32(a, b), odd = svuzp2_u32(a, b);
    first = reinterpret_cast<V>(even);
    second = reinterpret_cast<V>(odd);
  }
};

/// Appends values[lane] for each set lane of the mask. May write up to DoublePack::width entries
/// past the end.
inline std::uint32_t* append_selected(std::uint32_t* out, unsigned mask,
                                      const std::uint32_t* values) {
  const svbool_t all = svwhilelt_b32_u32(0, static_cast<std::uint32_t>(DoublePack::width));
  const svuint32_t kept = svcompact_u32(floats_of(mask, all), svld1_u32(all, values));
  svst1_u32(all, out, kept);
  return out + __builtin_popcount(mask);
}

/// Appends the entries, out of FloatPack::width, whose bits are set. May write as many past the end.
inline std::uint16_t* append(std::uint16_t* out, unsigned mask, const std::uint16_t* entries) {
  const svuint32_t wide = svld1uh_u32(all_floats(), entries);
  svst1h_u32(all_floats(), out, svcompact_u32(floats_of(mask, all_floats()), wide));
  return out + __builtin_popcount(mask);
}
inline std::uint32_t* append(std::uint32_t* out, unsigned mask, const std::uint32_t* entries) {
  const svuint32_t all = svld1_u32(all_floats(), entries);
  svst1_u32(all_floats(), out, svcompact_u32(floats_of(mask, all_floats()), all));
  return out + __builtin_popcount(mask);
}

/// Decodes whole multiples of FloatPack::width entries (avx512.hpp says how an entry is made).
template <int addend_bits, int shift>
struct EntryDecoder {
  const std::uint32_t* table;
  explicit EntryDecoder(const std::uint32_t (&numbers)[32]) : table(numbers) {}
  void operator()(const std::uint16_t* entries, std::size_t count, std::uint32_t* out) const {
    constexpr auto width = static_cast<std::uint32_t>(FloatPack::width);
    const svbool_t all = all_floats();
    for (std::size_t k = 0; k < count; k += width) {
      const svuint32_t entry = svld1uh_u32(all, entries + k);
      // A register of the table gives 0 for places that are not its own.
      svuint32_t place = svlsr_n_u32_x(all, entry, addend_bits);
      svuint32_t begin = svtbl_u32(svld1_u32(all, table), place);
      for (std::uint32_t part = width; part < 32; part += width) {
        place = svsub_n_u32_x(all, place, width);
        begin = svorr_u32_x(all, begin, svtbl_u32(svld1_u32(all, table + part), place));
      }
      const svuint32_t offset = svand_n_u32_x(all, entry, (1u << addend_bits) - 1);
      svst1_u32(all, out + k, svlsl_n_u32_x(all, svadd_u32_x(all, begin, offset), shift));
    }
  }
};

}  // namespace
}  // namespace sterna::md
