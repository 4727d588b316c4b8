#include "fmm/frame.hpp"

#include <fmt/format.h>

#include <cmath>

#include "md/core/cross_product.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::fmm {
namespace {

using md::Vec3;

/// Replaces the edges by the shortest ones of the same lattice, which are nearest to right angles. Edges
/// that cannot be shorter stay as they are.
void shorten(std::array<Vec3, 3>& edges) {
  constexpr double shorter = 1.0 - 1e-9;
  const auto try_edge = [&](std::size_t k, const Vec3& edge) {
    if (!(dot(edge, edge) < shorter * dot(edges[k], edges[k]))) return false;
    edges[k] = edge;
    return true;
  };
  // Each change makes an edge shorter, and there are finitely many vectors below a length.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t others[2] = {(k + 1) % 3, (k + 2) % 3};
      for (const std::size_t other : others) {
        const Vec3& by = edges[other];
        changed |= try_edge(k, edges[k] - std::round(dot(edges[k], by) / dot(by, by)) * by);
      }
      for (const double a : {-1.0, 1.0})
        for (const double b : {-1.0, 1.0}) {
          changed |= try_edge(k, edges[k] + a * edges[others[0]] + b * edges[others[1]]);
        }
    }
  }
}

}  // namespace

Frame::Frame(const Edges& edges) {
  std::array<Vec3, 3> lattice;
  double product = 1.0;  // of the lengths
  for (std::size_t k = 0; k < 3; ++k) {
    lattice[k] = {edges[k][0], edges[k][1], edges[k][2]};
    product *= std::sqrt(dot(lattice[k], lattice[k]));
  }
  const double volume = std::abs(dot(lattice[0], cross(lattice[1], lattice[2])));
  // Edges that come from rounded numbers are taken apart down to this.
  constexpr double flattest = 1e-10;
  if (!std::isfinite(product) || !std::isfinite(volume) || !(volume > flattest * product)) {
    const auto text = [](const Vec3& v) { return fmt::format("({}, {}, {})", v.x, v.y, v.z); };
    throw comm::Error(fmt::format(
        "the edges {}, {} and {} are those of no box: expected three finite vectors that do not "
        "lie in one plane",
        text(lattice[0]), text(lattice[1]), text(lattice[2])));
  }
  shorten(lattice);
  const auto unit = [](const Vec3& v) { return v * (1.0 / std::sqrt(dot(v, v))); };
  axes_[0] = unit(lattice[0]);
  axes_[1] = unit(lattice[1] - dot(lattice[1], axes_[0]) * axes_[0]);
  axes_[2] = cross(axes_[0], axes_[1]);
  if (dot(lattice[2], axes_[2]) < 0.0) axes_[2] *= -1.0;
  box_.length = {dot(lattice[0], axes_[0]), dot(lattice[1], axes_[1]), dot(lattice[2], axes_[2])};
  box_.tilt = {dot(lattice[1], axes_[0]), dot(lattice[2], axes_[0]), dot(lattice[2], axes_[1])};
  // A right angle that is rounded is one.
  for (double* const tilt : {&box_.tilt.xy, &box_.tilt.xz, &box_.tilt.yz}) {
    if (std::abs(*tilt) < 1e-14 * std::cbrt(product)) *tilt = 0.0;
  }
}

Frame::Frame(const Vec3& origin, const Vec3& lengths) : origin_(origin), box_{lengths} {}

std::array<double, 9> Frame::from_box(const std::array<double, 6>& tensor) const {
  const std::array<Vec3, 3> rows{{{tensor[0], tensor[3], tensor[4]},
                                  {tensor[3], tensor[1], tensor[5]},
                                  {tensor[4], tensor[5], tensor[2]}}};
  std::array<double, 9> turned{};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      const Vec3 columns{axes_[0][b], axes_[1][b], axes_[2][b]};
      for (std::size_t k = 0; k < 3; ++k) {
        turned[static_cast<std::size_t>(3 * a + b)] += axes_[k][a] * dot(rows[k], columns);
      }
    }
  return turned;
}

}  // namespace sterna::fmm
