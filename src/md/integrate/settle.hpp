#pragma once

#include <array>
#include <optional>

#include "md/core/vector.hpp"

namespace sterna::md {

/// A rigid isosceles triangle of atoms, such as water of three sites, whose constraints are solved
/// without iterations. See settle.cpp.
class Settle {
 public:
  /// Masses of the atom at the apex and of each at the base; lengths of each leg and of the base,
  /// which is shorter than both legs together.
  Settle(double apex_mass, double base_mass, double leg, double base);

  /// From the atom at the apex to those at the base.
  using Legs = std::array<Vec3, 2>;
  /// What moves the three atoms, apex first, from where a step without constraints has brought them
  /// to where constraint forces along the sides of the triangle at the beginning of the step bring
  /// them: the center of mass stays. Nothing where there is no such place: the step has turned the
  /// triangle too far.
  std::optional<std::array<Vec3, 3>> shifts(const Legs& before, const Legs& moved) const;

 private:
  double base_share_;                             ///< mass of an atom at the base / all
  double apex_height_, base_height_, half_base_;  ///< distances from the center of mass
};

}  // namespace sterna::md
