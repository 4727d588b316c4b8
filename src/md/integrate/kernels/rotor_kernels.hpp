#pragma once

#include <cstddef>

#include "md/simd/kernel_getters.hpp"

namespace sterna::md {

/// The number of rotors that fit into the widest vector of doubles.
inline constexpr std::size_t rotors_together = 8;
inline constexpr std::size_t most_atoms_of_rotor = 32;

/// Atoms at fixed places of a rigid body, along the axes of its body frame. A linear body is along
/// the first axis.
struct RotorShape {
  std::size_t atoms;
  int dimension;                     ///< 1: a line; 2: a plane normal to the third axis; 3: space
  double mass[most_atoms_of_rotor];  ///< as fractions of the whole
  double place[most_atoms_of_rotor][3];
  double inverse_inertia[3];  ///< for these masses
};

/// Rotors of one shape, or its mirror image, side by side. Rows are components x, y, z.
struct RotorWork {
  using Numbers = double[rotors_together];

  /// Input: place of each atom relative to the first. Output: relative to the center of mass,
  /// rigid.
  alignas(64) Numbers place[most_atoms_of_rotor][3];
  /// Input: velocity of each atom. Output: velocity in the rigid motion with the same momenta.
  alignas(64) Numbers velocity[most_atoms_of_rotor][3];
  /// Output: the displacement of each atom.
  alignas(64) Numbers path[most_atoms_of_rotor][3];
  alignas(64) Numbers angular_velocity[3];
};

/// Motion of rotors for one instruction set. See rotor_kernels.inl.
struct RotorKernels {
  const char* name;
  /// Moves rotors without forces for some time: places, velocities and paths.
  void (*turn)(const RotorShape& shape, RotorWork& work, double time);
  /// Replaces velocities by a rigid motion at the present places.
  void (*project)(const RotorShape& shape, RotorWork& work);
};

STERNA_KERNEL_GETTERS(RotorKernels, rotor_kernels);

}  // namespace sterna::md
