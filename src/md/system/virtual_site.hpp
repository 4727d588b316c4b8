#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "md/core/vector.hpp"

namespace sterna::md {

/// The rule by which the position of a virtual site follows from points r_0, r_1, ... Every kind
/// (virtual_site_kinds.hpp) is
///
///   x = r_0 + sum_k w_k d_k + s (d_1 x d_2) + p_x e_x + p_y e_y + p_z e_z,   d_k = r_k - r_0,
///
/// with the axes e_x along X = sum_k a_k d_k, e_z along X x Y, Y = sum_k b_k d_k, and
/// e_y = e_z x e_x. Only d_1, d_2 and d_3 contribute to the axes.
struct VirtualSiteRule {
  static constexpr std::size_t most_in_axes = 4;
  using AxisWeights = std::array<double, most_in_axes - 1>;  ///< for d_1, d_2, d_3

  std::size_t count = 0;                 ///< number of points
  std::vector<double> weights{};         ///< w; missing ones are 0
  double product = 0.0;                  ///< s: 1 / length
  AxisWeights x_weights{}, y_weights{};  ///< a, b
  Vec3 local{};                          ///< p: length

  /// Whether the site follows a homogeneous strain of its points.
  bool is_linear() const { return product == 0.0 && local == Vec3{}; }
};

/// A massless point of a molecule. Its position follows from positions of atoms, and the force on
/// it acts on these atoms. A site made of other sites stores the atoms behind them, so that sites
/// need no order.
struct VirtualSite {
  /// The result of the last step is the site; earlier steps give the sites that it is made of.
  struct Step {
    VirtualSiteRule rule;
    std::vector<std::uint32_t> from;  ///< points: atoms by index, then results of earlier steps
  };

  std::int32_t atom = 0;            ///< the site's own place in the molecule
  std::vector<std::int32_t> parts;  ///< atoms and sites that it is made of, as in the input
  std::vector<std::int32_t> atoms;  ///< atoms that it depends on, as places in the molecule
  std::vector<Step> steps;

  std::span<const std::int32_t> made_of() const { return atoms; }
  bool is_linear() const;

  /// The vector from the first atom to the site; length. `points` are the atoms' positions relative
  /// to the first, which is 0; the results of the steps are appended.
  Vec3 from_first(std::vector<Vec3>& points) const;
  /// Distributes a force on the site over its atoms, by the transposed derivatives of its position.
  /// This keeps the total force and the total torque. `points` are as `from_first` left them;
  /// `forces` gets the forces on the atoms first.
  void spread(std::span<const Vec3> points, const Vec3& force, std::vector<Vec3>& forces) const;
};

/// A site as the input defines it: by atoms and perhaps by other sites of the same list.
struct GivenVirtualSite {
  std::int32_t atom;
  VirtualSiteRule rule;
  std::vector<std::int32_t> parts;
};
/// Thrown if a site is made of itself, directly or through other sites.
struct CircularVirtualSite : std::invalid_argument {
  explicit CircularVirtualSite(std::int32_t atom);
  std::int32_t atom;
};
/// The sites expressed in atoms, in the given order. Throws CircularVirtualSite.
std::vector<VirtualSite> resolved_virtual_sites(std::span<const GivenVirtualSite> given);

}  // namespace sterna::md
