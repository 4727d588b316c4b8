#pragma once

#include <cstddef>
#include <cstdint>

#include "md/simd/kernel_getters.hpp"

namespace sterna::md {

/// The number of groups that fit into the widest vector of doubles.
inline constexpr std::size_t groups_together = 8;
/// Larger groups are solved one after another.
inline constexpr std::size_t most_atoms_together = 8;
inline constexpr std::size_t most_constraints_together = 8;

/// Two atoms of a group that a constraint joins.
struct ConstrainedPair {
  std::uint32_t first, second;
  friend bool operator==(const ConstrainedPair&, const ConstrainedPair&) = default;
};

/// Constraint groups of one shape side by side: constraints join the same places of each group,
/// with any distances and masses.
struct ConstraintWork {
  using Numbers = double[groups_together];

  std::size_t constraints;
  ConstrainedPair pairs[most_constraints_together];
  /// For each constraint: the connection from the second to the first atom at the begin of the
  /// step, and the required squared distance.
  alignas(64) Numbers connection[most_constraints_together][3];
  alignas(64) Numbers squared_distance[most_constraints_together];
  /// For each atom: the inverse mass, and the velocity, which is corrected.
  alignas(64) Numbers inverse_mass[most_atoms_together];
  alignas(64) Numbers velocity[most_atoms_together][3];
  /// Whether the group has an unsatisfied constraint after the last sweep.
  bool open[groups_together];
};

/// SHAKE and RATTLE for one instruction set. See constraint_kernels.inl.
struct ConstraintKernels {
  const char* name;
  /// Corrects velocities until every connection, plus `timestep` times the difference of
  /// velocities, has its length within the relative tolerance.
  void (*shake)(ConstraintWork& work, double timestep, double tolerance, int most_sweeps);
  /// Corrects velocities until they change no distance: the product of connection and difference is
  /// at most `goal` times the squared distance.
  void (*rattle)(ConstraintWork& work, double goal, int most_sweeps);
  /// Solves the same equations directly, for three constraints between three atoms.
  void (*solve_triangles)(ConstraintWork& work);
};

STERNA_KERNEL_GETTERS(ConstraintKernels, constraint_kernels);

}  // namespace sterna::md
