#pragma once

#include <cstddef>
#include <cstdint>

namespace sterna::md {

/// As many groups as fit into the widest vectors of doubles.
inline constexpr std::size_t groups_together = 8;
/// Larger groups are solved one after the other.
inline constexpr std::size_t most_atoms_together = 8;
inline constexpr std::size_t most_constraints_together = 8;

/// Two of a group's atoms.
struct ConstrainedPair {
  std::uint32_t first, second;
  friend bool operator==(const ConstrainedPair&, const ConstrainedPair&) = default;
};

/// Groups of constraints of one shape side by side: the same pairs of their atoms, whatever the
/// distances and masses.
struct ConstraintWork {
  using Numbers = double[groups_together];

  std::size_t constraints;
  ConstrainedPair pairs[most_constraints_together];
  /// Of constraints: from the second to the first atom when the step began, and what the square of
  /// the distance is to be.
  alignas(64) Numbers connection[most_constraints_together][3];
  alignas(64) Numbers squared_distance[most_constraints_together];
  /// Of atoms; velocities are corrected.
  alignas(64) Numbers inverse_mass[most_atoms_together];
  alignas(64) Numbers velocity[most_atoms_together][3];
  /// Whether some constraint of the group is not kept after the last sweep.
  bool open[groups_together];
};

/// SHAKE and RATTLE for one instruction set. See constraint_kernels.inl.
struct ConstraintKernels {
  const char* name;
  /// Until every connection, plus `timestep` times the difference of velocities, has its length
  /// within a relative tolerance.
  void (*shake)(ConstraintWork& work, double timestep, double tolerance, int most_sweeps);
  /// Until velocities change no distance: the product of connection and difference is at most
  /// `goal` times the squared distance.
  void (*rattle)(ConstraintWork& work, double goal, int most_sweeps);
  /// Solves the same equations of three constraints between three atoms exactly.
  void (*solve_triangles)(ConstraintWork& work);
};

const ConstraintKernels& constraint_kernels_avx512();
const ConstraintKernels& constraint_kernels_avx2();
const ConstraintKernels& constraint_kernels_baseline();

}  // namespace sterna::md
