#pragma once

#include <cstddef>

#include "md/core/vector.hpp"
#include "md/simd/kernel_getters.hpp"

namespace sterna::md {

/// The number of bodies that fit into the widest vector of doubles.
inline constexpr std::size_t bodies_together = 8;

/// Bodies of one shape side by side: orientations w, x, y, z, which the kernel rotates, and angular
/// momenta in the laboratory frame.
struct TurnWork {
  alignas(64) double orientation[4][bodies_together];
  alignas(64) double momentum[3][bodies_together];
};

/// Torque-free rotations of bodies for one instruction set.
struct TurnKernels {
  const char* name;
  /// Returns false, without doing anything, if any body rotates by more than small angles.
  bool (*turn)(const Vec3& inverse_inertia, double time, TurnWork& work);
};

STERNA_KERNEL_GETTERS(TurnKernels, turn_kernels);

}  // namespace sterna::md
