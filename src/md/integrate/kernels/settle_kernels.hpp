#pragma once

#include <cstddef>

#include "md/simd/kernel_getters.hpp"

namespace sterna::md {

/// A rigid isosceles triangle of atoms: the apex and two atoms of the same mass at the base.
struct SettleShape {
  double base_share;                           ///< mass of one atom at the base / total mass
  double apex_height, base_height, half_base;  ///< distances from the center of mass
};

/// The number of triangles that fit into the widest vector of doubles.
inline constexpr std::size_t triangles_together = 8;

/// Triangles side by side. Rows are components x, y, z of the legs from the apex to the two atoms
/// at the base.
struct SettleWork {
  // Legs at the begin of the step, and after a step without constraints.
  alignas(64) double before[6][triangles_together];
  alignas(64) double moved[6][triangles_together];
  /// Displacements of the three atoms, apex first, by the constraint forces. NaN if there is no
  /// solution, because the step has turned the triangle too far.
  alignas(64) double shifts[9][triangles_together];
};

/// SETTLE for one instruction set. See settle_kernels.inl.
struct SettleKernels {
  const char* name;
  void (*compute)(const SettleShape& shape, SettleWork& work);
};

STERNA_KERNEL_GETTERS(SettleKernels, settle_kernels);

}  // namespace sterna::md
