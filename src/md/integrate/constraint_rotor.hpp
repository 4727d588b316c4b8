#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/vector.hpp"
#include "md/integrate/kernels/rotor_kernels.hpp"
#include "md/system/rigid_shape.hpp"

namespace sterna::md {

/// Atoms that constraints make a rigid body, which moves as such. See kernels/rotor_kernels.inl.
class ConstraintRotor {
 public:
  /// `inverse_masses`: of the atoms; `kernels`: an instruction set, or "auto". Nothing for too many
  /// atoms, where one has no finite mass, and for bodies that are nearly but not quite linear, as
  /// these turn too fast about their axis.
  static std::optional<ConstraintRotor> of(const RigidShape& shape,
                                           std::span<const double> inverse_masses,
                                           std::string_view kernels = "auto");

  std::size_t atom_count() const { return shape_.atoms; }
  /// A part of the whole.
  double mass(std::size_t atom) const { return shape_.mass[atom]; }
  double whole_mass() const { return mass_; }
  void turn(RotorWork& work, double time) const { kernels_->turn(shape_, work, time); }
  void project(RotorWork& work) const { kernels_->project(shape_, work); }

  /// Moves `work.place` of each rotor to the nearest places of the rigid body or its mirror image:
  /// the sum over the atoms of mass and squared path is least. The center of mass stays. The paths
  /// are NaN where places have no direction.
  void fit(RotorWork& work) const;

 private:
  ConstraintRotor(const RotorKernels& kernels, const RotorShape& shape, double mass)
      : kernels_(&kernels), shape_(shape), mass_(mass) {}

  const RotorKernels* kernels_;
  RotorShape shape_;
  double mass_;
};

/// Those that this processor can run, widest first.
std::vector<const RotorKernels*> available_rotor_kernels();

}  // namespace sterna::md
