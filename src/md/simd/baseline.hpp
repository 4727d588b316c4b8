#pragma once

// Any processor: registers of 16 bytes by the vector extensions of GCC and Clang, with intrinsics
// only for operations that the extensions lack. Included by vectors.hpp; avx512.hpp says what the
// names mean.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "md/simd/vector_types.hpp"

namespace sterna::md {
namespace {

inline Vector<double> square_root(Vector<double> x) {
#ifdef __SSE2__
  return _mm_sqrt_pd(x);
#else
  for (int k = 0; k < lanes<double>; ++k) x[k] = std::sqrt(x[k]);
  return x;
#endif
}
inline Vector<float> square_root(Vector<float> x) {
#ifdef __SSE2__
  return _mm_sqrt_ps(x);
#else
  for (int k = 0; k < lanes<float>; ++k) x[k] = std::sqrt(x[k]);
  return x;
#endif
}

inline Vector<double> inverse(Vector<double> x) {
  return 1.0 / x;
}

inline Vector<double> inverse_root(Vector<double> x) {
  for (int k = 0; k < lanes<double>; ++k) x[k] = 1.0 / std::sqrt(x[k]);
  return x;
}
/// The second-order step removes the rounding error of the quotient.
inline Vector<float> inverse_root(Vector<float> x) {
  Vector<float> first{};
  for (int k = 0; k < lanes<float>; ++k) first[k] = 1.0f / std::sqrt(x[k]);
  return refined_inverse_root(x, first);
}

inline Vector<float> two_thirds_of_inverse_root_cubed(Vector<float> x) {
  const Vector<float> r = inverse_root(x);
  return (2.0f / 3.0f * r) * (r * r);
}

inline bool any(Bits<double> mask) {
#ifdef __SSE2__
  return _mm_movemask_pd(reinterpret_cast<__m128d>(mask)) != 0;
#else
  return (mask[0] | mask[1]) != 0;
#endif
}
inline bool any(Bits<float> mask) {
#ifdef __SSE2__
  return _mm_movemask_ps(reinterpret_cast<__m128>(mask)) != 0;
#else
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

template <class Real>
inline Vector<Real> gather(const Real* table, const std::uint32_t* places) {
  Vector<Real> result{};
  for (int k = 0; k < lanes<Real>; ++k) result[k] = table[places[k]];
  return result;
}

template <class Register, class Item>
[[gnu::always_inline]] inline Register load_register(const Item* items) {
  Register result;
  std::memcpy(&result, items, sizeof(Register));
  return result;
}

/// Four lanes: one register of floats, or two registers of doubles.
template <class T>
struct Pack {
  using Real = T;
  using Values = Vector<T>;
  using Integers = Bits<T>;
  static constexpr int width = 4;
  static constexpr int lanes = md::lanes<T>;  ///< of one register
  static constexpr int registers = width / lanes;
  /// In each lane all bits are set or none.
  struct Mask {
    Integers m[registers];
  };
  /// The argument of `lookup`: an index for each lane, in a form that scalar address arithmetic can
  /// use.
  struct Indices {
    std::int64_t t[width];
  };
  Values v[registers];

  template <class Operation>
  [[gnu::always_inline]] static Pack each(Operation operation) {
    Pack result;
    for (int k = 0; k < registers; ++k) result.v[k] = operation(k);
    return result;
  }
  template <class Operation>
  [[gnu::always_inline]] static Pack each_lane(Operation operation) {
    // The vector is not built by way of an array, because that took most of the kernels' compile
    // time.
    return each([&](int k) {
      if constexpr (lanes == 2) {
        return Values{operation(2 * k), operation(2 * k + 1)};
      } else {
        return Values{operation(0), operation(1), operation(2), operation(3)};
      }
    });
  }
  [[gnu::always_inline]] T lane(int k) const { return v[k / lanes][k % lanes]; }

  [[gnu::always_inline]] static Pack zero() {
    return each([](int) { return Values{}; });
  }
  [[gnu::always_inline]] static Pack all(double s) {
    return each([s](int) { return static_cast<T>(s) - Values{}; });  // x - 0 is x, bit for bit
  }
  [[gnu::always_inline]] static Pack load(const T* p) {
    return each([p](int k) { return load_register<Values>(p + k * lanes); });
  }
  template <class Stored>
  [[gnu::always_inline]] void store(Stored* p) const {
    for (int k = 0; k < width; ++k) p[k] = static_cast<Stored>(lane(k));
  }
  [[gnu::always_inline]] void store_selected(T* p, unsigned selected) const {
    for (int k = 0; k < width; ++k) {
      *p = lane(k);
      p += selected >> k & 1u;
    }
  }
  [[gnu::always_inline]] friend Pack operator+(Pack a, Pack b) {
    return each([&](int k) { return a.v[k] + b.v[k]; });
  }
  [[gnu::always_inline]] friend Pack operator-(Pack a, Pack b) {
    return each([&](int k) { return a.v[k] - b.v[k]; });
  }
  [[gnu::always_inline]] friend Pack operator*(Pack a, Pack b) {
    return each([&](int k) { return a.v[k] * b.v[k]; });
  }
  [[gnu::always_inline]] static Pack fma(Pack a, Pack b, Pack c) { return a * b + c; }
  [[gnu::always_inline]] static Pack fnma(Pack a, Pack b, Pack c) { return c - a * b; }
  [[gnu::always_inline]] friend Mask operator<(Pack a, Pack b) {
    Mask result;
    for (int k = 0; k < registers; ++k) result.m[k] = a.v[k] < b.v[k];
    return result;
  }
  [[gnu::always_inline]] static Pack inverse(Mask mask, Pack x, Pack scale) {
    return select(mask, each([&](int k) { return scale.v[k] / x.v[k]; }));
  }
  [[gnu::always_inline]] static Pack sqrt(Pack x) {
    return each_lane([&](int k) { return std::sqrt(x.lane(k)); });
  }
  [[gnu::always_inline]] static Pack inverse_sqrt(Mask mask, Pack x) {
    return inverse(mask, sqrt(x), all(1.0));
  }
  static Mask without(Mask mask, int lane) {
    mask.m[lane / lanes][lane % lanes] = 0;
    return mask;
  }
  static Mask keep(Mask mask, unsigned kept) {
    for (int lane = 0; lane < width; ++lane) {
      if ((kept >> lane & 1u) == 0) mask = without(mask, lane);
    }
    return mask;
  }
  [[gnu::always_inline]] static Pack min(Pack a, Pack b) {
    return each([&](int k) { return a.v[k] < b.v[k] ? a.v[k] : b.v[k]; });
  }
  [[gnu::always_inline]] static Pack max(Pack a, Pack b) {
    return each([&](int k) { return a.v[k] > b.v[k] ? a.v[k] : b.v[k]; });
  }
  [[gnu::always_inline]] static Pack select(Mask mask, Pack x) {
    return each([&](int k) {
      return reinterpret_cast<Values>(reinterpret_cast<Integers>(x.v[k]) & mask.m[k]);
    });
  }
  [[gnu::always_inline]] static Pack blend(Mask mask, Pack a, Pack b) {
    return each([&](int k) { return mask.m[k] ? a.v[k] : b.v[k]; });
  }
  double sum() const { return static_cast<double>((lane(0) + lane(1)) + (lane(2) + lane(3))); }
  template <class Derived, int count>
  static void sums(const Derived (&v)[count], double (&out)[count]) {
    for (int k = 0; k < count; ++k) out[k] = v[k].sum();
  }
  static Pack numbers(Indices bits) {
    return each_lane([&](int k) {
      using Bit = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
      return __builtin_bit_cast(T, static_cast<Bit>(bits.t[k]));
    });
  }
  static Pack lookup(const T* table, int, Indices indices) {
    return each_lane([&](int k) { return table[indices.t[k]]; });
  }
  /// A mask with one bit for each place whose byte is not 0. Places come in whole packs.
  static unsigned nonzero_bytes(const std::uint8_t* bytes, const std::uint32_t* places) {
    unsigned result = 0;
    for (int k = 0; k < width; ++k) result |= bytes[places[k]] != 0 ? 1u << k : 0u;
    return result;
  }
  [[gnu::always_inline]] static unsigned bits(Mask mask) {
    unsigned result = 0;
    for (int k = 0; k < registers; ++k) {
#ifdef __SSE2__
      const int set = sizeof(T) == sizeof(float)
                          ? _mm_movemask_ps(reinterpret_cast<__m128>(mask.m[k]))
                          : _mm_movemask_pd(reinterpret_cast<__m128d>(mask.m[k]));
      result |= static_cast<unsigned>(set) << (k * lanes);
#else
      for (int lane = 0; lane < lanes; ++lane) {
        result |= mask.m[k][lane] != 0 ? 1u << (k * lanes + lane) : 0u;
      }
#endif
    }
    return result;
  }
  template <class OutPack>
  static void load_four(const T* records, const std::uint32_t* j, OutPack (&out)[4]) {
    for (unsigned c = 0; c < 4; ++c) {
      out[c] = each_lane([&](int k) { return records[j[k] + c]; });
    }
  }
};

struct DoublePack : Pack<double> {
  DoublePack() = default;
  DoublePack(Pack<double> p) : Pack<double>(p) {}
  [[gnu::always_inline]] static void load_records(const double* records, const std::uint32_t* j,
                                                  DoublePack& x, DoublePack& y, DoublePack& z,
                                                  Indices& last) {
    for (int k = 0; k < registers; ++k) {
      const double* const a = at_offset(records, j[2 * k]);
      const double* const b = at_offset(records, j[2 * k + 1]);
      const Values xy_a = load_register<Values>(a), xy_b = load_register<Values>(b);
      x.v[k] = __builtin_shufflevector(xy_a, xy_b, 0, 2);
      y.v[k] = __builtin_shufflevector(xy_a, xy_b, 1, 3);
      z.v[k] = Values{a[2], b[2]};
      last.t[2 * k] = load_register<std::int64_t>(a + 3);
      last.t[2 * k + 1] = load_register<std::int64_t>(b + 3);
    }
  }
  [[gnu::always_inline]] static void subtract_from_triples(double* triples, const std::uint32_t* j,
                                                           const DoublePack& x, const DoublePack& y,
                                                           const DoublePack& z) {
    for (int k = 0; k < width; ++k) {
      double* const to = triples + std::size_t{j[k]} / 4 * 3;
      to[0] -= x.lane(k);
      to[1] -= y.lane(k);
      to[2] -= z.lane(k);
    }
  }
};

struct FloatPack : Pack<float> {
  FloatPack() = default;
  FloatPack(Pack<float> p) : Pack<float>(p) {}
  [[gnu::always_inline]] static void load_records(const std::int32_t* records,
                                                  const std::uint32_t* j, Integers& x, Integers& y,
                                                  Integers& z, Indices& last) {
    Integers p[4];
    for (int k = 0; k < 4; ++k) {
      const std::int32_t* const record = at_offset(records, j[k]);
      p[k] = load_register<Integers>(record);
      last.t[k] = record[3];
    }
    const Integers xy01 = __builtin_shufflevector(p[0], p[1], 0, 4, 1, 5);
    const Integers xy23 = __builtin_shufflevector(p[2], p[3], 0, 4, 1, 5);
    const Integers zt01 = __builtin_shufflevector(p[0], p[1], 2, 6, 3, 7);
    const Integers zt23 = __builtin_shufflevector(p[2], p[3], 2, 6, 3, 7);
    x = __builtin_shufflevector(xy01, xy23, 0, 1, 4, 5);
    y = __builtin_shufflevector(xy01, xy23, 2, 3, 6, 7);
    z = __builtin_shufflevector(zt01, zt23, 0, 1, 4, 5);
  }
  [[gnu::always_inline]] static void subtract_from_records(float* records, const std::uint32_t* j,
                                                           const FloatPack& x, const FloatPack& y,
                                                           const FloatPack& z) {
    for (int k = 0; k < 4; ++k) {
      float* const record = at_offset(records, j[k]);
      record[0] -= x.v[0][k];
      record[1] -= y.v[0][k];
      record[2] -= z.v[0][k];
    }
  }
  [[gnu::always_inline]] static Integers all_integers(std::int32_t i) { return i - Integers{}; }
  [[gnu::always_inline]] static FloatPack difference(Integers a, Integers b) {
    return each([&](int) { return __builtin_convertvector(a - b, Values); });
  }
};

/// Appends the entries, out of 4, whose bits are set, without a branch, because it would be
/// unpredictable. May write one entry past the end.
template <class Entry>
inline Entry* append(Entry* out, unsigned mask, const Entry* entries) {
  for (unsigned lane = 0; lane < 4; ++lane) {
    *out = entries[lane];
    out += mask >> lane & 1u;
  }
  return out;
}
/// Appends values[lane] for each set lane of the mask, like `append`.
inline std::uint32_t* append_selected(std::uint32_t* out, unsigned mask,
                                      const std::uint32_t* values) {
  return append(out, mask, values);
}

/// Decodes entries one by one (avx512.hpp says how an entry is made), and so needs no padding.
template <int addend_bits, int shift>
struct EntryDecoder {
  const std::uint32_t* table;
  explicit EntryDecoder(const std::uint32_t (&numbers)[32]) : table(numbers) {}
  void operator()(const std::uint16_t* entries, std::size_t count, std::uint32_t* out) const {
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t entry = entries[k];
      out[k] = (table[entry >> addend_bits] + (entry & ((1u << addend_bits) - 1))) << shift;
    }
  }
};

}  // namespace
}  // namespace sterna::md
