#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "md/core/vector.hpp"

namespace sterna::md {

/// A point of a molecule that has no mass. Its position follows from those of atoms, and the force
/// on it acts on them. Every kind of virtual site (virtual_site_kinds.hpp) is
///
///   x = r_0 + sum_k w_k d_k + s (d_1 x d_2) + p_x e_x + p_y e_y + p_z e_z,   d_k = r_k - r_0,
///
/// with the axes e_x along X = sum_k a_k d_k, e_z along X x Y, Y = sum_k b_k d_k, and
/// e_y = e_z x e_x.
struct VirtualSite {
  static constexpr std::size_t most_atoms = 4;
  using Vectors = std::array<Vec3, most_atoms>;
  using Weights = std::array<double, most_atoms - 1>;  ///< of d_1, d_2, d_3

  std::int32_t atom = 0;                         ///< the site, in the molecule
  std::uint32_t count = 0;                       ///< of the atoms that it is made of
  std::array<std::int32_t, most_atoms> atoms{};  ///< those, in the molecule
  Weights weights{};                             ///< w
  double product = 0.0;                          ///< s: 1 / length
  Weights x_weights{}, y_weights{};              ///< a, b
  Vec3 local{};                                  ///< p: length

  std::span<const std::int32_t> made_of() const { return {atoms.data(), count}; }
  /// Whether a homogeneous strain of its atoms strains it, too.
  bool is_linear() const { return product == 0.0 && local == Vec3{}; }

  /// From r_0 to the site. `d`: those of its atoms, the first is 0; length.
  Vec3 from_first(const Vectors& d) const;
  /// What a force on the site is to its atoms: the transpose of the derivatives of its position.
  /// They have the sum of the force and, together, its torque.
  Vectors spread(const Vectors& d, const Vec3& force) const;
};

}  // namespace sterna::md
