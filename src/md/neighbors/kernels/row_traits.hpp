#pragma once

// How pair kernels load the particles of the list's rows into packs.

#include <cstddef>
#include <cstdint>

#include "md/neighbors/pair_work.hpp"
#include "md/simd/vectors.hpp"

namespace sterna::md {
namespace {

template <class Pack>
struct RowTraits;

/// Double precision: positions are used as they are.
template <>
struct RowTraits<DoublePack> {
  /// log2 of the record size in units of 8 bytes: rows are decoded to offsets in this unit.
  static constexpr int offset_shift = 2;
  static constexpr Overlap overlap = vector_bytes == 64   ? Overlap::arithmetic
                                     : vector_bytes == 32 ? Overlap::loads
                                                          : Overlap::none;

  /// The position of a particle of the row in all lanes.
  struct Center {
    DoublePack x, y, z;
    Center() = default;
    Center(const PairWork& work, std::size_t i)
        : x(DoublePack::all(work.position[i].x)),
          y(DoublePack::all(work.position[i].y)),
          z(DoublePack::all(work.position[i].z)) {}
  };
  /// The positions of `width` neighbors: one load for each, then a transpose in registers.
  struct Neighbors {
    DoublePack x, y, z;
    DoublePack::Indices types;
    [[gnu::always_inline]] Neighbors(const PairWork& work, const std::uint32_t* offsets) {
      DoublePack::load_records(&work.position->x, offsets, x, y, z, types);
    }
  };
  [[gnu::always_inline]] static DoublePack difference(DoublePack a, DoublePack b) { return a - b; }
  /// Subtracts x, y, z from the forces on the neighbors.
  [[gnu::always_inline]] static void subtract(const PairWork& work, const std::uint32_t* offsets,
                                              const DoublePack& x, const DoublePack& y,
                                              const DoublePack& z) {
    DoublePack::subtract_from_triples(&work.force->x, offsets, x, y, z);
  }
  /// Adds to the force on a particle of the row.
  static void add(const PairWork& work, std::size_t i, double x, double y, double z) {
    work.force[i] += Vec3{x, y, z};
  }
  /// The array of forces while kernels add to it.
  static const Vec3* forces(const PairWork& work) { return work.force; }
  static const Position* positions(const PairWork& work) { return work.position; }
};

/// Mixed precision: positions are fixed-point integers, whose differences are exact.
template <>
struct RowTraits<FloatPack> {
  static constexpr int offset_shift = 1;
  static constexpr Overlap overlap = vector_bytes == 64 ? Overlap::arithmetic : Overlap::none;

  struct Center {
    FloatPack::Integers x, y, z;
    Center() = default;
    Center(const PairWork& work, std::size_t i)
        : x(FloatPack::all_integers(work.fixed_position[i].x)),
          y(FloatPack::all_integers(work.fixed_position[i].y)),
          z(FloatPack::all_integers(work.fixed_position[i].z)) {}
  };
  struct Neighbors {
    FloatPack::Integers x, y, z;
    FloatPack::Indices types;
    [[gnu::always_inline]] Neighbors(const PairWork& work, const std::uint32_t* offsets) {
      FloatPack::load_records(&work.fixed_position->x, offsets, x, y, z, types);
    }
  };
  [[gnu::always_inline]] static FloatPack difference(FloatPack::Integers a, FloatPack::Integers b) {
    return FloatPack::difference(a, b);
  }
  [[gnu::always_inline]] static void subtract(const PairWork& work, const std::uint32_t* offsets,
                                              const FloatPack& x, const FloatPack& y,
                                              const FloatPack& z) {
    FloatPack::subtract_from_records(&work.collected->x, offsets, x, y, z);
  }
  static void add(const PairWork& work, std::size_t i, double x, double y, double z) {
    SingleForce& f = work.collected[i];
    f = {f.x + static_cast<float>(x), f.y + static_cast<float>(y), f.z + static_cast<float>(z),
         0.0f};
  }
  static const SingleForce* forces(const PairWork& work) { return work.collected; }
  static const FixedPosition* positions(const PairWork& work) { return work.fixed_position; }
};

/// Decodes a compressed row, with entries of run and offset, into offsets in units of 8 bytes.
template <int offset_shift>
using RowDecoder = EntryDecoder<run_offset_bits, offset_shift>;

}  // namespace
}  // namespace sterna::md
