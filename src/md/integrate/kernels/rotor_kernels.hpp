#pragma once

#include <cstddef>

namespace sterna::md {

/// As many rotors as fit into the widest vectors of doubles.
inline constexpr std::size_t rotors_together = 8;
inline constexpr std::size_t most_atoms_of_rotor = 32;

/// Atoms at fixed places of a rigid body, along the axes of its body frame. The axis of a linear
/// body is the first.
struct RotorShape {
  std::size_t atoms;
  int dimension;                     ///< 1: in a line; 2: in a plane, normal to the third axis; 3
  double mass[most_atoms_of_rotor];  ///< parts of the whole
  double place[most_atoms_of_rotor][3];
  double inverse_inertia[3];  ///< for these masses
};

/// Rotors of one shape, or its mirror image, side by side. Components x, y, z follow each other.
struct RotorWork {
  using Numbers = double[rotors_together];

  /// Of each atom, from the first one; then from the center of mass, as a rigid body has it.
  alignas(64) Numbers place[most_atoms_of_rotor][3];
  /// Taken: of each atom; given: that of the rigid motion with the same momenta.
  alignas(64) Numbers velocity[most_atoms_of_rotor][3];
  /// What each atom is moved by.
  alignas(64) Numbers path[most_atoms_of_rotor][3];
  alignas(64) Numbers angular_velocity[3];
};

/// Motion of rotors for one instruction set. See rotor_kernels.inl.
struct RotorKernels {
  const char* name;
  /// A free motion for some time: places, velocities and paths.
  void (*turn)(const RotorShape& shape, RotorWork& work, double time);
  /// Rigid motion of the atoms at the present places.
  void (*project)(const RotorShape& shape, RotorWork& work);
};

const RotorKernels& rotor_kernels_avx512();
const RotorKernels& rotor_kernels_avx2();
const RotorKernels& rotor_kernels_baseline();

}  // namespace sterna::md
