#pragma once

#include <cstddef>

#include "md/core/vector.hpp"

namespace sterna::md {

/// As many bodies as fit into the widest vectors of doubles.
inline constexpr std::size_t bodies_together = 8;

/// Bodies of one shape side by side: orientations w, x, y, z, which are turned, and angular momenta
/// in the laboratory frame.
struct TurnWork {
  alignas(64) double orientation[4][bodies_together];
  alignas(64) double momentum[3][bodies_together];
};

/// Free turns of bodies for one instruction set.
struct TurnKernels {
  const char* name;
  /// Returns false where one of them turns by more than small angles: then it does nothing.
  bool (*turn)(const Vec3& inverse_inertia, double time, TurnWork& work);
};

const TurnKernels& turn_kernels_avx512();
const TurnKernels& turn_kernels_avx2();
const TurnKernels& turn_kernels_baseline();

}  // namespace sterna::md
