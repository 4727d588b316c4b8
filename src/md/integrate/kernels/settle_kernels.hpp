#pragma once

#include <cstddef>

namespace sterna::md {

/// A rigid isosceles triangle of atoms: the apex and two atoms of the same mass at the base.
struct SettleShape {
  double base_share;                           ///< mass of an atom at the base / all
  double apex_height, base_height, half_base;  ///< distances from the center of mass
};

/// As many triangles as fit into the widest vectors of doubles.
inline constexpr std::size_t triangles_together = 8;

/// Triangles side by side. Legs go from the apex to the atoms at the base, whose components x, y, z
/// follow each other.
struct SettleWork {
  // When the step began, and as a step without constraints has brought them.
  alignas(64) double before[6][triangles_together];
  alignas(64) double moved[6][triangles_together];
  /// What moves the three atoms, apex first, to where constraint forces bring them. NaN where there
  /// is no such place: the step has turned the triangle too far.
  alignas(64) double shifts[9][triangles_together];
};

/// SETTLE for one instruction set. See settle_kernels.inl.
struct SettleKernels {
  const char* name;
  void (*compute)(const SettleShape& shape, SettleWork& work);
};

const SettleKernels& settle_kernels_avx512();
const SettleKernels& settle_kernels_avx2();
const SettleKernels& settle_kernels_baseline();

}  // namespace sterna::md
