#pragma once

// Vectors of four doubles or floats in plain C++, for any processor; see simd_avx512.hpp.

#include <cmath>
#include <cstdint>

#include "md/shortrange/pair_work.hpp"

namespace sterna::md {
namespace {

template <class T>
struct Pack {
  using Real = T;
  struct Mask {
    bool m[4];
  };
  struct Types {
    std::int64_t t[4];
  };
  static constexpr int width = 4;
  T v[4];

  [[gnu::always_inline]] static Pack zero() { return {{0, 0, 0, 0}}; }
  [[gnu::always_inline]] static Pack all(double s) {
    const T t = static_cast<T>(s);
    return {{t, t, t, t}};
  }
  static Pack load(const T* p) { return {{p[0], p[1], p[2], p[3]}}; }
  template <class Stored>
  void store(Stored* p) const {
    for (int k = 0; k < 4; ++k) p[k] = static_cast<Stored>(v[k]);
  }
  template <class Operation>
  [[gnu::always_inline]] static Pack each(Operation operation) {
    Pack result;
    for (int k = 0; k < 4; ++k) result.v[k] = operation(k);
    return result;
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
    return {{a.v[0] < b.v[0], a.v[1] < b.v[1], a.v[2] < b.v[2], a.v[3] < b.v[3]}};
  }
  [[gnu::always_inline]] static Pack inverse(Mask mask, Pack x, Pack scale) {
    return each([&](int k) {
      const T quotient = scale.v[k] / x.v[k];  // always: a branch would cost more
      return mask.m[k] ? quotient : T(0);
    });
  }
  static Pack sqrt(Pack x) {
    return each([&](int k) { return std::sqrt(x.v[k]); });
  }
  static Pack inverse_sqrt(Mask mask, Pack x) {
    return each([&](int k) { return mask.m[k] ? T(1) / std::sqrt(x.v[k]) : T(0); });
  }
  static Mask without(Mask mask, int lane) {
    mask.m[lane] = false;
    return mask;
  }
  static Pack min(Pack a, Pack b) {
    return each([&](int k) { return a.v[k] < b.v[k] ? a.v[k] : b.v[k]; });
  }
  static Pack max(Pack a, Pack b) {
    return each([&](int k) { return a.v[k] > b.v[k] ? a.v[k] : b.v[k]; });
  }
  [[gnu::always_inline]] static Pack select(Mask mask, Pack x) {
    return each([&](int k) { return mask.m[k] ? x.v[k] : T(0); });
  }
  [[gnu::always_inline]] static Pack blend(Mask mask, Pack a, Pack b) {
    return each([&](int k) { return mask.m[k] ? a.v[k] : b.v[k]; });
  }
  double sum() const { return static_cast<double>((v[0] + v[1]) + (v[2] + v[3])); }
  static void sums(Pack a, Pack b, Pack c, double (&out)[3]) {
    out[0] = a.sum();
    out[1] = b.sum();
    out[2] = c.sum();
  }
  static Pack lookup(const T* table, int, Types types) {
    return each([&](int k) { return table[types.t[k]]; });
  }
  static unsigned bits(Mask mask) {
    return (mask.m[0] ? 1u : 0u) | (mask.m[1] ? 2u : 0u) | (mask.m[2] ? 4u : 0u) |
           (mask.m[3] ? 8u : 0u);
  }
  template <class OutPack>
  static void load_four(const T* records, const std::uint32_t* j, OutPack (&out)[4]) {
    for (int k = 0; k < 4; ++k) {
      for (int c = 0; c < 4; ++c) out[c].v[k] = records[j[k] + static_cast<unsigned>(c)];
    }
  }
};

/// One coordinate of four particles, where they are.
template <class Particle>
struct Column {
  const decltype(Particle::x)* place[4];
};

struct DoublePack : Pack<double> {
  static constexpr int offset_shift = 2;
  static constexpr std::uint32_t group = 1;
  static constexpr bool loads_ahead = false;
  DoublePack() = default;
  DoublePack(Pack<double> p) : Pack<double>(p) {}
  struct Center {
    double x, y, z;
    Center() = default;
    Center(const PairWork& work, std::size_t i)
        : x(work.position[i].x), y(work.position[i].y), z(work.position[i].z) {}
  };
  struct Neighbors {
    Column<Position> x, y, z;
    Types types;
    [[gnu::always_inline]] Neighbors(const PairWork& work, const std::uint32_t* j) {
      for (int k = 0; k < 4; ++k) {
        const Position* const neighbor = at_offset(work.position, j[k]);
        x.place[k] = &neighbor->x;
        y.place[k] = &neighbor->y;
        z.place[k] = &neighbor->z;
        types.t[k] = neighbor->type;
      }
    }
  };
  [[gnu::always_inline]] static DoublePack difference(double a, const Column<Position>& b) {
    return each([&](int k) { return static_cast<double>(a - *b.place[k]); });
  }
};

struct FloatPack : Pack<float> {
  static constexpr int offset_shift = 1;
  static constexpr std::uint32_t group = 2;
  static constexpr bool loads_ahead = false;
  FloatPack() = default;
  FloatPack(Pack<float> p) : Pack<float>(p) {}
  struct Center {
    std::int32_t x, y, z;
    Center() = default;
    Center(const PairWork& work, std::size_t i)
        : x(work.fixed_position[i].x), y(work.fixed_position[i].y), z(work.fixed_position[i].z) {}
  };
  struct Neighbors {
    Column<FixedPosition> x, y, z;
    Types types;
    [[gnu::always_inline]] Neighbors(const PairWork& work, const std::uint32_t* j) {
      for (int k = 0; k < 4; ++k) {
        const FixedPosition* const neighbor = at_offset(work.fixed_position, j[k]);
        x.place[k] = &neighbor->x;
        y.place[k] = &neighbor->y;
        z.place[k] = &neighbor->z;
        types.t[k] = neighbor->type;
      }
    }
  };
  [[gnu::always_inline]] static FloatPack difference(std::int32_t a,
                                                     const Column<FixedPosition>& b) {
    return each([&](int k) { return static_cast<float>(a - *b.place[k]); });
  }
};

/// Appends values[lane] for each of the DoublePack::width lanes that is set.
inline std::uint32_t* append_selected(std::uint32_t* out, unsigned mask,
                                      const std::uint32_t* values) {
  for (; mask != 0; mask &= mask - 1) *out++ = values[__builtin_ctz(mask)];
  return out;
}

/// Appends those of 4 entries whose bit is set.
template <class Entry>
inline Entry* append(Entry* out, unsigned mask, const Entry* entries) {
  for (; mask != 0; mask &= mask - 1) *out++ = entries[__builtin_ctz(mask)];
  return out;
}

}  // namespace
}  // namespace sterna::md

#include "md/shortrange/kernels/scalar_rows.hpp"
