#include "md/integrate/settle.hpp"

#include <cmath>

#include "md/simd/instruction_set.hpp"

namespace sterna::md {

std::vector<const SettleKernels*> available_settle_kernels() {
  return available_kernels<SettleKernels>(STERNA_KERNEL_FAMILY(settle_kernels));
}

Settle::Settle(double apex_mass, double base_mass, double leg, double base,
               std::string_view kernels)
    : kernels_(&select_kernels(available_settle_kernels(), kernels)) {
  shape_.base_share = base_mass / (apex_mass + 2.0 * base_mass);
  shape_.half_base = 0.5 * base;
  const double height = std::sqrt(leg * leg - shape_.half_base * shape_.half_base);
  shape_.apex_height = 2.0 * shape_.base_share * height;
  shape_.base_height = height - shape_.apex_height;
}

void Settle::put(const Legs& before, const Legs& moved, std::size_t lane, SettleWork& work) {
  for (std::size_t leg = 0; leg < 2; ++leg) {
    for (int axis = 0; axis < 3; ++axis) {
      const std::size_t row = 3 * leg + static_cast<std::size_t>(axis);
      work.before[row][lane] = before[leg][axis];
      work.moved[row][lane] = moved[leg][axis];
    }
  }
}

std::optional<std::array<Vec3, 3>> Settle::shifts(const SettleWork& work, std::size_t lane) {
  std::array<Vec3, 3> shifts;
  for (std::size_t row = 0; row < 9; ++row) {
    shifts[row / 3][static_cast<int>(row % 3)] = work.shifts[row][lane];
  }
  // If the angles are not numbers, every component is NaN, so checking one component of each vector
  // is enough.
  if (std::isnan(shifts[0].x + shifts[1].x + shifts[2].x)) return std::nullopt;
  return shifts;
}

}  // namespace sterna::md
