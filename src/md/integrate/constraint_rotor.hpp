#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/vector.hpp"
#include "md/integrate/kernels/rotor_kernels.hpp"
#include "md/system/rigid_shape.hpp"

namespace sterna::md {

/// A group of atoms that constraints make rigid and that moves as a rigid body. See
/// kernels/rotor_kernels.inl.
class ConstraintRotor {
 public:
  /// `inverse_masses`: of the atoms. `kernels`: an instruction set, or "auto". Empty for too many
  /// atoms, for infinite masses, and for bodies that are almost linear, because these rotate too
  /// fast about their axis.
  static std::optional<ConstraintRotor> of(const RigidShape& shape,
                                           std::span<const double> inverse_masses,
                                           std::string_view kernels = "auto");

  std::size_t atom_count() const { return shape_.atoms; }
  /// The mass of an atom as a fraction of the whole.
  double mass(std::size_t atom) const { return shape_.mass[atom]; }
  double whole_mass() const { return mass_; }
  void turn(RotorWork& work, double time) const { kernels_->turn(shape_, work, time); }
  void project(RotorWork& work) const { kernels_->project(shape_, work); }

  /// Moves `work.place` of each rotor to the nearest places of the rigid body or its mirror image,
  /// so that the sum of mass times squared path is least. The center of mass stays. Paths are NaN
  /// if the places do not determine an orientation.
  void fit(RotorWork& work) const;

 private:
  ConstraintRotor(const RotorKernels& kernels, const RotorShape& shape, double mass)
      : kernels_(&kernels), shape_(shape), mass_(mass) {}

  const RotorKernels* kernels_;
  RotorShape shape_;
  double mass_;
};

/// The kernels that this processor can run, widest first.
std::vector<const RotorKernels*> available_rotor_kernels();

}  // namespace sterna::md
