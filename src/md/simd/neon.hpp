#pragma once

// NEON, which every 64-bit ARM processor has: registers of 16 bytes. A pack is two registers, so
// that chains of dependent operations fill the four pipelines of large cores. Included by
// vectors.hpp; avx512.hpp explains the names.
//
// Quotients are divided: a division keeps one of the pipelines busy for as long as the seven
// operations that refine an estimate would keep all of them together, and it is exact. Inverse
// roots are refined from estimates, because a root and a division follow each other in the one
// pipeline that has both (models of Neoverse N1 and V2 in LLVM 19).

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

#include "md/simd/compress_table.hpp"
#include "md/simd/vector_types.hpp"

namespace sterna::md {
namespace {

/// a b + c and c - a b, rounded once.
inline Vector<double> fused(Vector<double> a, Vector<double> b, Vector<double> c) {
  return vfmaq_f64(c, a, b);
}
inline Vector<float> fused(Vector<float> a, Vector<float> b, Vector<float> c) {
  return vfmaq_f32(c, a, b);
}
inline Vector<double> fused_difference(Vector<double> a, Vector<double> b, Vector<double> c) {
  return vfmsq_f64(c, a, b);
}
inline Vector<float> fused_difference(Vector<float> a, Vector<float> b, Vector<float> c) {
  return vfmsq_f32(c, a, b);
}

inline Vector<double> square_root(Vector<double> x) {
  return vsqrtq_f64(x);
}
inline Vector<float> square_root(Vector<float> x) {
  return vsqrtq_f32(x);
}

inline Vector<double> inverse(Vector<double> x) {
  return 1.0 / x;
}

/// 1/sqrt(x) to 15 bits: an estimate of 8 bits, refined by one second-order step.
inline Vector<double> estimated_inverse_root(Vector<double> x) {
  const Vector<double> r = vrsqrteq_f64(x);
  return r * Vector<double>(vrsqrtsq_f64(x * r, r));
}
inline Vector<float> estimated_inverse_root(Vector<float> x) {
  const Vector<float> r = vrsqrteq_f32(x);
  return r * Vector<float>(vrsqrtsq_f32(x * r, r));
}

/// 1/sqrt(x) to some units in the last place, for normal positive x: by a fourth-order step, in
/// single precision by a second-order one.
inline Vector<double> inverse_root(Vector<double> x) {
  const Vector<double> r = estimated_inverse_root(x);
  const Vector<double> e = fused_difference(x * r, r, all<double>(1.0));
  const Vector<double> p = fused(all<double>(0.3125), e, all<double>(0.375));
  return fused(r * e, fused(p, e, all<double>(0.5)), r);
}
inline Vector<float> inverse_root(Vector<float> x) {
  const Vector<float> r = estimated_inverse_root(x);
  const Vector<float> e = fused_difference(x * r, r, all<float>(1.0));
  return fused(r * e, all<float>(0.5), r);
}

/// Two thirds of 1/sqrt(x)^3. Leaving out the factor 3/2 saves an operation in the refinement.
inline Vector<float> two_thirds_of_inverse_root_cubed(Vector<float> x) {
  return two_thirds_of_inverse_root_cubed(x, estimated_inverse_root(x));
}

inline bool any(Bits<double> mask) {
  return vmaxvq_u32(reinterpret_cast<uint32x4_t>(mask)) != 0;
}
inline bool any(Bits<float> mask) {
  return vmaxvq_u32(reinterpret_cast<uint32x4_t>(mask)) != 0;
}

/// Loads one lane at a time: there is no instruction that gathers.
template <class Real>
inline Vector<Real> gather(const Real* table, const std::uint32_t* places) {
  Vector<Real> result{};
  for (int k = 0; k < lanes<Real>; ++k) result[k] = table[places[k]];
  return result;
}

/// The bytes of two registers from an address. The intrinsic that loads both, vld1q_u8_x2, makes
/// GCC 12 fail with an internal error in kernels of pairs at -O1.
template <class T>
[[gnu::always_inline]] inline uint8x16x2_t load_two_registers(const T* from) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(from);
  return {{vld1q_u8(bytes), vld1q_u8(bytes + 16)}};
}

/// Words of two registers, chosen by the places of their bytes.
inline uint8x16_t chosen_bytes(uint8x16x2_t from, uint32x4_t bytes) {
  return vqtbl2q_u8(from, vreinterpretq_u8_u32(bytes));
}
/// The places of the four bytes of each of these words.
inline uint32x4_t bytes_of_words(uint32x4_t words) {
  return vmlaq_n_u32(vdupq_n_u32(0x03020100), words, 0x04040404);
}

/// The places of the bytes of those words, out of 8, whose bits are set, packed to the front.
struct SelectedWords {
  uint32x4_t low, high;
};
inline SelectedWords selected_words(unsigned lanes) {
  const uint16x8_t words = vmovl_u8(vld1_u8(compress_table.lanes[lanes]));
  return {bytes_of_words(vmovl_u16(vget_low_u16(words))), bytes_of_words(vmovl_high_u16(words))};
}

/// What packs of both precisions have: two registers. `Pack` is DoublePack or FloatPack.
template <class T, class Pack>
struct TwoRegisters {
  using Real = T;
  using Values = Vector<T>;
  using Integers = Bits<T>;
  static constexpr int lanes = md::lanes<T>;  ///< of one register
  static constexpr int width = 2 * lanes;
  /// In each lane all bits are set or none.
  struct Mask {
    Integers low, high;
  };
  /// The places of the bytes of table entries, for `lookup`, and the numbers of these entries.
  struct Indices {
    Integers low, high;
  };
  Values low, high;

  [[gnu::always_inline]] static Pack zero() { return {Values{}, Values{}}; }
  [[gnu::always_inline]] static Pack all(double s) { return {md::all<T>(s), md::all<T>(s)}; }
  [[gnu::always_inline]] static Pack load(const T* p) {
    return {load_unaligned<Values>(p), load_unaligned<Values>(p + lanes)};
  }
  [[gnu::always_inline]] void store(T* p) const {
    store_unaligned(p, low);
    store_unaligned(p + lanes, high);
  }
  [[gnu::always_inline]] void store(float* p) const requires(sizeof(T) == sizeof(double)) {
    vst1q_f32(p, vcvt_high_f32_f64(vcvt_f32_f64(low), high));
  }
  [[gnu::always_inline]] friend Pack operator+(Pack a, Pack b) {
    return {a.low + b.low, a.high + b.high};
  }
  [[gnu::always_inline]] friend Pack operator-(Pack a, Pack b) {
    return {a.low - b.low, a.high - b.high};
  }
  [[gnu::always_inline]] friend Pack operator*(Pack a, Pack b) {
    return {a.low * b.low, a.high * b.high};
  }
  [[gnu::always_inline]] static Pack fma(Pack a, Pack b, Pack c) {
    return {fused(a.low, b.low, c.low), fused(a.high, b.high, c.high)};
  }
  [[gnu::always_inline]] static Pack fnma(Pack a, Pack b, Pack c) {
    return {fused_difference(a.low, b.low, c.low), fused_difference(a.high, b.high, c.high)};
  }
  [[gnu::always_inline]] friend Mask operator<(Pack a, Pack b) {
    return {a.low < b.low, a.high < b.high};
  }
  [[gnu::always_inline]] static Pack inverse(Mask mask, Pack x, Pack scale) {
    return select(mask, Pack(scale.low / x.low, scale.high / x.high));
  }
  [[gnu::always_inline]] static Pack sqrt(Pack x) {
    return {square_root(x.low), square_root(x.high)};
  }
  [[gnu::always_inline]] static Pack inverse_sqrt(Mask mask, Pack x) {
    return select(mask, Pack(inverse_root(x.low), inverse_root(x.high)));
  }
  [[gnu::always_inline]] static Pack min(Pack a, Pack b) {
    return {a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
  }
  [[gnu::always_inline]] static Pack max(Pack a, Pack b) {
    return {a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
  [[gnu::always_inline]] static Pack select(Mask mask, Pack x) {
    return {reinterpret_cast<Values>(reinterpret_cast<Integers>(x.low) & mask.low),
            reinterpret_cast<Values>(reinterpret_cast<Integers>(x.high) & mask.high)};
  }
  [[gnu::always_inline]] static Pack blend(Mask mask, Pack a, Pack b) {
    return {mask.low ? a.low : b.low, mask.high ? a.high : b.high};
  }
};

struct DoublePack : TwoRegisters<double, DoublePack> {
  DoublePack() = default;
  [[gnu::always_inline]] DoublePack(Values first, Values second) : TwoRegisters{first, second} {}

  [[gnu::always_inline]] void store_selected(double* p, unsigned lanes) const {
    // Each lane of doubles is moved as two lanes of 32 bits, so each bit of the mask is doubled.
    const SelectedWords words =
        selected_words(3 * ((lanes & 1) + 2 * (lanes & 2) + 4 * (lanes & 4) + 8 * (lanes & 8)));
    const uint8x16x2_t from{
        {reinterpret_cast<uint8x16_t>(low), reinterpret_cast<uint8x16_t>(high)}};
    auto* const out = reinterpret_cast<std::uint8_t*>(p);
    vst1q_u8(out, chosen_bytes(from, words.low));
    vst1q_u8(out + 16, chosen_bytes(from, words.high));
  }
  static Mask without(Mask mask, int lane) {
    const Integers that = lane - Integers{};
    return {mask.low & (that != Integers{0, 1}), mask.high & (that != Integers{2, 3})};
  }
  static Mask keep(Mask mask, unsigned kept) {
    const Integers all = static_cast<std::int64_t>(kept) - Integers{};
    return {mask.low & ((all & Integers{1, 2}) != 0), mask.high & ((all & Integers{4, 8}) != 0)};
  }
  [[gnu::always_inline]] static unsigned bits(Mask mask) {
    const uint32x4_t words =
        vuzp1q_u32(reinterpret_cast<uint32x4_t>(mask.low), reinterpret_cast<uint32x4_t>(mask.high));
    return vaddvq_u32(vandq_u32(words, uint32x4_t{1, 2, 4, 8}));
  }
  double sum() const { return vaddvq_f64(low + high); }
  template <int count>
  static void sums(const DoublePack (&v)[count], double (&out)[count]) {
    for (int k = 0; k < count; ++k) out[k] = v[k].sum();
  }
  [[gnu::always_inline]] static DoublePack numbers(Indices bits) {
    return {reinterpret_cast<Values>(bits.low), reinterpret_cast<Values>(bits.high)};
  }
  [[gnu::always_inline]] static DoublePack lookup(const double* table, int count, Indices indices) {
    if (count > width) {
      return {Values{table[indices.low[0]], table[indices.low[1]]},
              Values{table[indices.high[0]], table[indices.high[1]]}};
    }
    const uint8x16x2_t from = load_two_registers(table);
    const auto look_up = [from](Integers index) __attribute__((always_inline)) {
      // Of the two words of an index the upper one is 0. The words of the entry are 2 and 2 + 1
      // times the index.
      const uint32x4_t twice = vshlq_n_u32(reinterpret_cast<uint32x4_t>(index), 1);
      const uint32x4_t words = vaddq_u32(vtrn1q_u32(twice, twice), uint32x4_t{0, 1, 0, 1});
      return reinterpret_cast<Values>(chosen_bytes(from, bytes_of_words(words)));
    };
    return {look_up(indices.low), look_up(indices.high)};
  }
  [[gnu::always_inline]] static void load_four(const double* records, const std::uint32_t* j,
                                               DoublePack (&out)[4]) {
    const auto load_two = [&](int k, int c, Values& first, Values& second)
        __attribute__((always_inline)) {
      const auto a = load_unaligned<Values>(records + j[k] + c);
      const auto b = load_unaligned<Values>(records + j[k + 1] + c);
      first = vzip1q_f64(a, b), second = vzip2q_f64(a, b);
    };
    load_two(0, 0, out[0].low, out[1].low);
    load_two(2, 0, out[0].high, out[1].high);
    load_two(0, 2, out[2].low, out[3].low);
    load_two(2, 2, out[2].high, out[3].high);
  }
  [[gnu::always_inline]] static void load_records(const double* records,
                                                  const std::uint32_t* offsets, DoublePack& x,
                                                  DoublePack& y, DoublePack& z, Indices& last) {
    DoublePack four[4];
    load_four(records, offsets, four);
    x = four[0];
    y = four[1];
    z = four[2];
    last = {reinterpret_cast<Integers>(four[3].low), reinterpret_cast<Integers>(four[3].high)};
  }
  [[gnu::always_inline]] static void subtract_from_triples(double* triples,
                                                           const std::uint32_t* offsets,
                                                           DoublePack x, DoublePack y,
                                                           DoublePack z) {
    const auto subtract = [&](int lane, Values xy, double last) __attribute__((always_inline)) {
      double* const to = triples + std::size_t{offsets[lane]} / 4 * 3;
      store_unaligned(to, load_unaligned<Values>(to) - xy);
      to[2] -= last;
    };
    subtract(0, vzip1q_f64(x.low, y.low), z.low[0]);
    subtract(1, vzip2q_f64(x.low, y.low), z.low[1]);
    subtract(2, vzip1q_f64(x.high, y.high), z.high[0]);
    subtract(3, vzip2q_f64(x.high, y.high), z.high[1]);
  }
};

struct FloatPack : TwoRegisters<float, FloatPack> {
  using Base = TwoRegisters<float, FloatPack>;
  /// Of all lanes, where `Base::Integers` are those of one register.
  struct Integers {
    Base::Integers low, high;
  };
  FloatPack() = default;
  [[gnu::always_inline]] FloatPack(Values first, Values second) : Base{first, second} {}

  [[gnu::always_inline]] void store_selected(float* p, unsigned lanes) const {
    const SelectedWords words = selected_words(lanes);
    const uint8x16x2_t from{
        {reinterpret_cast<uint8x16_t>(low), reinterpret_cast<uint8x16_t>(high)}};
    auto* const out = reinterpret_cast<std::uint8_t*>(p);
    vst1q_u8(out, chosen_bytes(from, words.low));
    vst1q_u8(out + 16, chosen_bytes(from, words.high));
  }
  static Mask without(Mask mask, int lane) {
    const Base::Integers that = lane - Base::Integers{};
    return {mask.low & (that != Base::Integers{0, 1, 2, 3}),
            mask.high & (that != Base::Integers{4, 5, 6, 7})};
  }
  static Mask keep(Mask mask, unsigned kept) {
    const Base::Integers all = static_cast<std::int32_t>(kept) - Base::Integers{};
    return {mask.low & ((all & Base::Integers{1, 2, 4, 8}) != 0),
            mask.high & ((all & Base::Integers{16, 32, 64, 128}) != 0)};
  }
  [[gnu::always_inline]] static unsigned bits(Mask mask) {
    const uint16x8_t all =
        vuzp1q_u16(reinterpret_cast<uint16x8_t>(mask.low), reinterpret_cast<uint16x8_t>(mask.high));
    return vaddvq_u16(vandq_u16(all, uint16x8_t{1, 2, 4, 8, 16, 32, 64, 128}));
  }
  double sum() const { return static_cast<double>(vaddvq_f32(low + high)); }
  /// The sums over the lanes of up to four vectors, which share their additions.
  template <int count>
  static void sums(const FloatPack (&v)[count], double (&out)[count]) {
    if constexpr (count == 1) {
      out[0] = v[0].sum();
    } else {
      const auto half = [&v](int k) { return v[k].low + v[k].high; };
      const Values first = vpaddq_f32(half(0), half(1));
      const Values second =
          count > 2 ? Values(vpaddq_f32(half(count > 2 ? 2 : 0), half(count - 1))) : first;
      const Values all = vpaddq_f32(first, second);
      for (int k = 0; k < count; ++k) out[k] = static_cast<double>(all[k]);
    }
  }
  [[gnu::always_inline]] static FloatPack numbers(Indices bits) {
    return {reinterpret_cast<Values>(bits.low), reinterpret_cast<Values>(bits.high)};
  }
  [[gnu::always_inline]] static FloatPack lookup(const float* table, int count, Indices indices) {
    if (count > width) {
      const auto look_up = [table](Base::Integers index) __attribute__((always_inline)) {
        return Values{table[index[0]], table[index[1]], table[index[2]], table[index[3]]};
      };
      return {look_up(indices.low), look_up(indices.high)};
    }
    const uint8x16x2_t from = load_two_registers(table);
    const auto look_up = [from](Base::Integers index) __attribute__((always_inline)) {
      const uint32x4_t bytes = bytes_of_words(reinterpret_cast<uint32x4_t>(index));
      return reinterpret_cast<Values>(chosen_bytes(from, bytes));
    };
    return {look_up(indices.low), look_up(indices.high)};
  }
  /// A mask with one bit for each place whose byte is not 0. Places come in whole packs.
  static unsigned nonzero_bytes(const std::uint8_t* bytes, const std::uint32_t* places) {
    uint8x8_t found{};
    for (int k = 0; k < width; ++k) found[k] = bytes[places[k]];
    return vaddv_u8(vand_u8(vtst_u8(found, found), uint8x8_t{1, 2, 4, 8, 16, 32, 64, 128}));
  }

  /// Four records of four words as four vectors, one for each word of a record.
  template <class V>
  [[gnu::always_inline]] static void transpose(V a, V b, V c, V d, V& x, V& y, V& z, V& w) {
    const V xy_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const V xy_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const V zw_even = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const V zw_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    x = __builtin_shufflevector(xy_even, zw_even, 0, 1, 4, 5);
    y = __builtin_shufflevector(xy_odd, zw_odd, 0, 1, 4, 5);
    z = __builtin_shufflevector(xy_even, zw_even, 2, 3, 6, 7);
    w = __builtin_shufflevector(xy_odd, zw_odd, 2, 3, 6, 7);
  }
  [[gnu::always_inline]] static void load_four(const float* records, const std::uint32_t* j,
                                               FloatPack (&out)[4]) {
    const auto record = [&](int k) __attribute__((always_inline)) {
      return load_unaligned<Values>(records + j[k]);
    };
    transpose(record(0), record(1), record(2), record(3), out[0].low, out[1].low, out[2].low,
              out[3].low);
    transpose(record(4), record(5), record(6), record(7), out[0].high, out[1].high, out[2].high,
              out[3].high);
  }
  [[gnu::always_inline]] static void load_records(const std::int32_t* records,
                                                  const std::uint32_t* j, Integers& x, Integers& y,
                                                  Integers& z, Indices& last) {
    const auto record = [&](int k) __attribute__((always_inline)) {
      return load_unaligned<Base::Integers>(at_offset(records, j[k]));
    };
    transpose(record(0), record(1), record(2), record(3), x.low, y.low, z.low, last.low);
    transpose(record(4), record(5), record(6), record(7), x.high, y.high, z.high, last.high);
  }
  [[gnu::always_inline]] static void subtract_from_records(float* records, const std::uint32_t* j,
                                                           FloatPack x, FloatPack y, FloatPack z) {
    const auto subtract = [&](int first, Values px, Values py, Values pz)
        __attribute__((always_inline)) {
      Values change[4];
      transpose(px, py, pz, Values{}, change[0], change[1], change[2], change[3]);
      for (int k = 0; k < 4; ++k) {
        float* const to = at_offset(records, j[first + k]);
        store_unaligned(to, load_unaligned<Values>(to) - change[k]);
      }
    };
    subtract(0, x.low, y.low, z.low);
    subtract(4, x.high, y.high, z.high);
  }
  [[gnu::always_inline]] static Integers all_integers(std::int32_t i) {
    return {i - Base::Integers{}, i - Base::Integers{}};
  }
  [[gnu::always_inline]] static FloatPack difference(Integers a, Integers b) {
    return {__builtin_convertvector(a.low - b.low, Values),
            __builtin_convertvector(a.high - b.high, Values)};
  }
};

/// Appends values[lane] for each set lane, out of 4, of the mask. May write up to DoublePack::width
/// entries past the end.
inline std::uint32_t* append_selected(std::uint32_t* out, unsigned mask,
                                      const std::uint32_t* values) {
  const uint8x16_t all = vld1q_u8(reinterpret_cast<const std::uint8_t*>(values));
  const uint32x4_t bytes = selected_words(mask).low;
  vst1q_u8(reinterpret_cast<std::uint8_t*>(out), vqtbl1q_u8(all, vreinterpretq_u8_u32(bytes)));
  return out + __builtin_popcount(mask);
}

/// Appends the entries, out of 8, whose bits are set. May write up to 8 entries past the end.
inline std::uint32_t* append(std::uint32_t* out, unsigned mask, const std::uint32_t* entries) {
  const uint8x16x2_t all = load_two_registers(entries);
  const SelectedWords words = selected_words(mask);
  auto* const to = reinterpret_cast<std::uint8_t*>(out);
  vst1q_u8(to, chosen_bytes(all, words.low));
  vst1q_u8(to + 16, chosen_bytes(all, words.high));
  return out + __builtin_popcount(mask);
}
inline std::uint16_t* append(std::uint16_t* out, unsigned mask, const std::uint16_t* entries) {
  const uint16x8_t all = vld1q_u16(entries);
  const uint16x8_t numbers = vmovl_u8(vld1_u8(compress_table.lanes[mask]));
  const uint16x8_t bytes = vmlaq_n_u16(vdupq_n_u16(0x0100), numbers, 0x0202);
  const uint8x16_t kept = vqtbl1q_u8(vreinterpretq_u8_u16(all), vreinterpretq_u8_u16(bytes));
  vst1q_u16(out, vreinterpretq_u16_u8(kept));
  return out + __builtin_popcount(mask);
}

/// Decodes whole multiples of 8 entries (avx512.hpp says how an entry is made). One entry after the
/// other is looked up: a table of eight registers would take more instructions.
template <int addend_bits, int shift>
struct EntryDecoder {
  const std::uint32_t* table;
  explicit EntryDecoder(const std::uint32_t (&numbers)[32]) : table(numbers) {}
  void operator()(const std::uint16_t* entries, std::size_t count, std::uint32_t* out) const {
    for (std::size_t k = 0; k < count; k += 4) {
      const uint32x4_t entry = vmovl_u16(vld1_u16(entries + k));
      const uint32x4_t place = vshrq_n_u32(entry, addend_bits);
      const uint32x4_t begin{table[place[0]], table[place[1]], table[place[2]], table[place[3]]};
      const uint32x4_t offset = vandq_u32(entry, vdupq_n_u32((1u << addend_bits) - 1));
      vst1q_u32(out + k, vshlq_n_u32(vaddq_u32(begin, offset), shift));
    }
  }
};

}  // namespace
}  // namespace sterna::md
