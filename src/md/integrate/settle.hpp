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
  /// Masses of the atom at the apex and of each at the base; lengths of each leg and of the base,
  /// which is shorter than both legs together. `kernels`: an instruction set, or "auto".
  Settle(double apex_mass, double base_mass, double leg, double base,
         std::string_view kernels = "auto");

  /// Of all triangles of `work`.
  void compute(SettleWork& work) const { kernels_->compute(shape_, work); }

  /// From the atom at the apex to those at the base.
  using Legs = std::array<Vec3, 2>;
  static void put(const Legs& before, const Legs& moved, std::size_t lane, SettleWork& work);
  /// What moves the three atoms, apex first, from where a step without constraints has brought them
  /// to where constraint forces along the sides of the triangle at the beginning of the step bring
  /// them: the center of mass stays. Nothing where there is no such place: the step has turned the
  /// triangle too far.
  static std::optional<std::array<Vec3, 3>> shifts(const SettleWork& work, std::size_t lane);

 private:
  const SettleKernels* kernels_;
  SettleShape shape_;
};

/// Those that this processor can run, widest first.
std::vector<const SettleKernels*> available_settle_kernels();

}  // namespace sterna::md
