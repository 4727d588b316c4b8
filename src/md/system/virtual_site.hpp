#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "md/core/vector.hpp"

namespace sterna::md {

/// How the place of a virtual site follows from points r_0, r_1, ... Every kind of virtual site
/// (virtual_site_kinds.hpp) is
///
///   x = r_0 + sum_k w_k d_k + s (d_1 x d_2) + p_x e_x + p_y e_y + p_z e_z,   d_k = r_k - r_0,
///
/// with the axes e_x along X = sum_k a_k d_k, e_z along X x Y, Y = sum_k b_k d_k, and
/// e_y = e_z x e_x. Only d_1, d_2 and d_3 count in the axes.
struct VirtualSiteRule {
  static constexpr std::size_t most_in_axes = 4;
  using AxisWeights = std::array<double, most_in_axes - 1>;  ///< of d_1, d_2, d_3

  std::size_t count = 0;                 ///< of the points
  std::vector<double> weights{};         ///< w; those that are missing are 0
  double product = 0.0;                  ///< s: 1 / length
  AxisWeights x_weights{}, y_weights{};  ///< a, b
  Vec3 local{};                          ///< p: length

  /// Whether a homogeneous strain of its points strains it, too.
  bool is_linear() const { return product == 0.0 && local == Vec3{}; }
};

/// A point of a molecule that has no mass. Its position follows from those of atoms, and the force
/// on it acts on them. Where it is made of other sites, the atoms are those that these are made of:
/// so sites need no order.
struct VirtualSite {
  /// What the last rule of a site gives is the site, what others give are sites that it is made of.
  struct Step {
    VirtualSiteRule rule;
    std::vector<std::uint32_t> from;  ///< atoms in their order, then what steps before gave
  };

  std::int32_t atom = 0;            ///< the site, in the molecule
  std::vector<std::int32_t> parts;  ///< atoms and sites that it is made of, as the input has them
  std::vector<std::int32_t> atoms;  ///< that it follows from, in the molecule
  std::vector<Step> steps;

  std::span<const std::int32_t> made_of() const { return atoms; }
  bool is_linear() const;

  /// From the first atom to the site. `points`: those of its atoms from the first one, which is 0;
  /// what the steps give is added. Length.
  Vec3 from_first(std::vector<Vec3>& points) const;
  /// What a force on the site is to its atoms: the transpose of the derivatives of its position.
  /// They have the sum of the force and, together, its torque. `points`: as `from_first` leaves
  /// them; `forces` has those on the atoms first.
  void spread(std::span<const Vec3> points, const Vec3& force, std::vector<Vec3>& forces) const;
};

/// A site as the input gives it: made of atoms and perhaps of other sites of the same list.
struct GivenVirtualSite {
  std::int32_t atom;
  VirtualSiteRule rule;
  std::vector<std::int32_t> parts;
};
/// A site that is made of itself, by way of others.
struct CircularVirtualSite : std::invalid_argument {
  explicit CircularVirtualSite(std::int32_t atom);
  std::int32_t atom;
};
/// The sites in their order. Throws CircularVirtualSite.
std::vector<VirtualSite> resolved_virtual_sites(std::span<const GivenVirtualSite> given);

}  // namespace sterna::md
