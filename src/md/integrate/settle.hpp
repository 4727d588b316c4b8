#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "md/core/vector.hpp"
#include "md/integrate/kernels/settle_kernels.hpp"

namespace sterna::md {

/// A rigid isosceles triangle of atoms, such as water of three sites, whose constraints are solved
/// without iterations. See kernels/settle_kernels.inl.
class Settle {
 public:
  /// Masses of the atom at the apex and of each atom at the base; lengths of each leg and of the
  /// base, which must be shorter than two legs. `kernels`: an instruction set, or "auto".
  Settle(double apex_mass, double base_mass, double leg, double base,
         std::string_view kernels = "auto");

  /// Solves all triangles of `work`.
  void compute(SettleWork& work) const { kernels_->compute(shape_, work); }

  /// Vectors from the atom at the apex to the two at the base.
  using Legs = std::array<Vec3, 2>;
  static void put(const Legs& before, const Legs& moved, std::size_t lane, SettleWork& work);
  /// Displacements of the three atoms, apex first, by constraint forces along the sides of the
  /// triangle at the begin of the step. They start from the positions after a step without
  /// constraints and keep the center of mass. Empty if there is no solution, because the step has
  /// turned the triangle too far.
  static std::optional<std::array<Vec3, 3>> shifts(const SettleWork& work, std::size_t lane);

 private:
  const SettleKernels* kernels_;
  SettleShape shape_;
};

/// The kernels that this processor can run, widest first.
std::vector<const SettleKernels*> available_settle_kernels();

}  // namespace sterna::md
