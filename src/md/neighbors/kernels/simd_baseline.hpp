#pragma once

// Vectors of four doubles or floats for any processor, in registers of 16 bytes by the vector
// extensions of GCC and Clang; see simd_avx512.hpp. Intrinsics only where those have no word.

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "md/neighbors/pair_work.hpp"

namespace sterna::md {
namespace {

template <class T>
struct RegisterOf;
template <>
struct RegisterOf<double> {
  typedef double Values __attribute__((vector_size(16)));
  typedef std::int64_t Bits __attribute__((vector_size(16)));
};
template <>
struct RegisterOf<float> {
  typedef float Values __attribute__((vector_size(16)));
  typedef std::int32_t Bits __attribute__((vector_size(16)));
};

template <class Register, class Item>
[[gnu::always_inline]] inline Register load_register(const Item* items) {
  Register result;
  std::memcpy(&result, items, sizeof(Register));
  return result;
}

template <class T>
struct Pack {
  using Real = T;
  using Values = typename RegisterOf<T>::Values;
  using Bits = typename RegisterOf<T>::Bits;
  static constexpr int width = 4;
  static constexpr int lanes = 16 / static_cast<int>(sizeof(T));  ///< of one register
  static constexpr int registers = width / lanes;
  /// All bits of a lane set or none.
  struct Mask {
    Bits m[registers];
  };
  struct Types {
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
    // Not by an array, which would take most of the time of compiling the kernels.
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
      return reinterpret_cast<Values>(reinterpret_cast<Bits>(x.v[k]) & mask.m[k]);
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
  static Pack lookup(const T* table, int, Types types) {
    return each_lane([&](int k) { return table[types.t[k]]; });
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
  static constexpr int offset_shift = 2;
  static constexpr std::uint32_t group = 2;
  static constexpr Overlap overlap = Overlap::none;
  DoublePack() = default;
  DoublePack(Pack<double> p) : Pack<double>(p) {}
  struct Center {
    Pack<double> x, y, z;
    Center() = default;
    Center(const PairWork& work, std::size_t i)
        : x(all(work.position[i].x)), y(all(work.position[i].y)), z(all(work.position[i].z)) {}
  };
  struct Neighbors {
    Pack<double> x, y, z;
    Types types;
    [[gnu::always_inline]] Neighbors(const PairWork& work, const std::uint32_t* j) {
      for (int k = 0; k < registers; ++k) {
        const Position* const a = at_offset(work.position, j[2 * k]);
        const Position* const b = at_offset(work.position, j[2 * k + 1]);
        const Values xy_a = load_register<Values>(&a->x), xy_b = load_register<Values>(&b->x);
        x.v[k] = __builtin_shufflevector(xy_a, xy_b, 0, 2);
        y.v[k] = __builtin_shufflevector(xy_a, xy_b, 1, 3);
        z.v[k] = Values{a->z, b->z};
        types.t[2 * k] = a->type;
        types.t[2 * k + 1] = b->type;
      }
    }
  };
  [[gnu::always_inline]] static DoublePack difference(Pack<double> a, Pack<double> b) {
    return a - b;
  }
};

struct FloatPack : Pack<float> {
  static constexpr int offset_shift = 1;
  static constexpr std::uint32_t group = 4;
  static constexpr Overlap overlap = Overlap::none;
  FloatPack() = default;
  FloatPack(Pack<float> p) : Pack<float>(p) {}
  struct Center {
    Bits x, y, z;
    Center() = default;
    Center(const PairWork& work, std::size_t i)
        : x(work.fixed_position[i].x - Bits{}),
          y(work.fixed_position[i].y - Bits{}),
          z(work.fixed_position[i].z - Bits{}) {}
  };
  struct Neighbors {
    Bits x, y, z;
    Types types;
    [[gnu::always_inline]] Neighbors(const PairWork& work, const std::uint32_t* j) {
      Bits p[4];
      for (int k = 0; k < 4; ++k) {
        const FixedPosition* const neighbor = at_offset(work.fixed_position, j[k]);
        p[k] = load_register<Bits>(&neighbor->x);
        types.t[k] = neighbor->type;
      }
      const Bits xy01 = __builtin_shufflevector(p[0], p[1], 0, 4, 1, 5);
      const Bits xy23 = __builtin_shufflevector(p[2], p[3], 0, 4, 1, 5);
      const Bits zt01 = __builtin_shufflevector(p[0], p[1], 2, 6, 3, 7);
      const Bits zt23 = __builtin_shufflevector(p[2], p[3], 2, 6, 3, 7);
      x = __builtin_shufflevector(xy01, xy23, 0, 1, 4, 5);
      y = __builtin_shufflevector(xy01, xy23, 2, 3, 6, 7);
      z = __builtin_shufflevector(zt01, zt23, 0, 1, 4, 5);
    }
  };
  /// Subtracts from the forces on the particles j.
  [[gnu::always_inline]] static void subtract(SingleForce* force, const std::uint32_t* j,
                                              const FloatPack& x, const FloatPack& y,
                                              const FloatPack& z) {
    for (int k = 0; k < 4; ++k) {
      SingleForce* const f = at_offset(force, j[k]);
      f->x -= x.v[0][k];
      f->y -= y.v[0][k];
      f->z -= z.v[0][k];
    }
  }
  [[gnu::always_inline]] static FloatPack difference(Bits a, Bits b) {
    return each([&](int) { return __builtin_convertvector(a - b, Values); });
  }
};

/// Appends those of 4 entries whose bit is set, without a branch that nobody could foresee; writes
/// up to one entry past the end.
template <class Entry>
inline Entry* append(Entry* out, unsigned mask, const Entry* entries) {
  for (unsigned lane = 0; lane < 4; ++lane) {
    *out = entries[lane];
    out += mask >> lane & 1u;
  }
  return out;
}
/// Likewise, for each of the DoublePack::width lanes.
inline std::uint32_t* append_selected(std::uint32_t* out, unsigned mask,
                                      const std::uint32_t* values) {
  return append(out, mask, values);
}

}  // namespace
}  // namespace sterna::md

#include "md/neighbors/kernels/scalar_rows.hpp"
