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

  static Pack zero() { return {{0, 0, 0, 0}}; }
  static Pack all(double s) {
    const T t = static_cast<T>(s);
    return {{t, t, t, t}};
  }
  static Pack load(const T* p) { return {{p[0], p[1], p[2], p[3]}}; }
  template <class Stored>
  void store(Stored* p) const {
    for (int k = 0; k < 4; ++k) p[k] = static_cast<Stored>(v[k]);
  }
  template <class Operation>
  static Pack each(Operation operation) {
    Pack result;
    for (int k = 0; k < 4; ++k) result.v[k] = operation(k);
    return result;
  }
  friend Pack operator+(Pack a, Pack b) {
    return each([&](int k) { return a.v[k] + b.v[k]; });
  }
  friend Pack operator-(Pack a, Pack b) {
    return each([&](int k) { return a.v[k] - b.v[k]; });
  }
  friend Pack operator*(Pack a, Pack b) {
    return each([&](int k) { return a.v[k] * b.v[k]; });
  }
  static Pack fma(Pack a, Pack b, Pack c) { return a * b + c; }
  static Pack fnma(Pack a, Pack b, Pack c) { return c - a * b; }
  friend Mask operator<(Pack a, Pack b) {
    return {{a.v[0] < b.v[0], a.v[1] < b.v[1], a.v[2] < b.v[2], a.v[3] < b.v[3]}};
  }
  static Pack inverse(Mask mask, Pack x, Pack scale) {
    return each([&](int k) { return mask.m[k] ? scale.v[k] / x.v[k] : T(0); });
  }
  static Pack sqrt(Pack x) {
    return each([&](int k) { return std::sqrt(x.v[k]); });
  }
  static Pack inverse_sqrt(Mask mask, Pack x) {
    return each([&](int k) { return mask.m[k] ? T(1) / std::sqrt(x.v[k]) : T(0); });
  }
  static Pack select(Mask mask, Pack x) {
    return each([&](int k) { return mask.m[k] ? x.v[k] : T(0); });
  }
  static Pack blend(Mask mask, Pack a, Pack b) {
    return each([&](int k) { return mask.m[k] ? a.v[k] : b.v[k]; });
  }
  double sum() const { return static_cast<double>((v[0] + v[1]) + (v[2] + v[3])); }
  static Pack lookup(const T* table, Types types) {
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

struct DoublePack : Pack<double> {
  static constexpr int offset_shift = 2;
  DoublePack() = default;
  DoublePack(Pack<double> p) : Pack<double>(p) {}
  struct Center {
    Position center;
    const Position* positions;
    Center(const PairWork& work, std::size_t i)
        : center(work.position[i]), positions(work.position) {}
    template <bool with_types>
    void differences(const std::uint32_t* j, DoublePack& dx, DoublePack& dy, DoublePack& dz,
                     Types& types) const {
      for (int k = 0; k < 4; ++k) {
        const Position& other = *at_offset(positions, j[k]);
        dx.v[k] = center.x - other.x;
        dy.v[k] = center.y - other.y;
        dz.v[k] = center.z - other.z;
        if constexpr (with_types) types.t[k] = other.type;
      }
    }
  };
};

struct FloatPack : Pack<float> {
  static constexpr int offset_shift = 1;
  FloatPack() = default;
  FloatPack(Pack<float> p) : Pack<float>(p) {}
  struct Center {
    FixedPosition center;
    const FixedPosition* positions;
    Center(const PairWork& work, std::size_t i)
        : center(work.fixed_position[i]), positions(work.fixed_position) {}
    template <bool with_types>
    void differences(const std::uint32_t* j, FloatPack& dx, FloatPack& dy, FloatPack& dz,
                     Types& types) const {
      for (int k = 0; k < 4; ++k) {
        const FixedPosition& other = *at_offset(positions, j[k]);
        dx.v[k] = static_cast<float>(center.x - other.x);
        dy.v[k] = static_cast<float>(center.y - other.y);
        dz.v[k] = static_cast<float>(center.z - other.z);
        if constexpr (with_types) types.t[k] = other.type;
      }
    }
  };
};

/// Appends `value + lane` for each lane of the mask.
template <class Entry>
inline Entry* append(Entry* out, unsigned mask, std::uint32_t value) {
  for (; mask != 0; mask &= mask - 1) {
    *out++ = static_cast<Entry>(value + static_cast<std::uint32_t>(__builtin_ctz(mask)));
  }
  return out;
}

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
