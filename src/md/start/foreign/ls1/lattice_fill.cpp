#include "md/start/foreign/ls1/lattice_fill.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "md/core/cross_product.hpp"

namespace sterna::md::ls1 {
namespace {

constexpr double most_sites = 1e9;

}  // namespace

void fill_with_crystal(const Crystal& crystal, const Object& object, const Vec3& edges,
                       const std::function<void(const Placed&)>& visit) {
  const auto& [a, b, c] = crystal.cell;
  const double volume = dot(a, cross(b, c));
  if (!(std::abs(volume) > 0.0) || !std::isfinite(volume)) {
    throw std::invalid_argument("the cell of the lattice has no volume");
  }
  const Vec3 reciprocal[3] = {cross(b, c) * (1.0 / volume), cross(c, a) * (1.0 / volume),
                              cross(a, b) * (1.0 / volume)};
  Vec3 lower, upper;
  for (int axis = 0; axis < 3; ++axis) {
    lower[axis] = std::max(0.0, object.lower()[axis]);
    upper[axis] = std::min(edges[axis], object.upper()[axis]);
    if (!(lower[axis] <= upper[axis])) return;
  }
  // The range of cells whose sites may lie in the bounding box of the object.
  double first[3], last[3], sites = static_cast<double>(crystal.basis.size());
  for (int k = 0; k < 3; ++k) {
    first[k] = std::numeric_limits<double>::infinity();
    last[k] = -first[k];
    for (const Placed& molecule : crystal.basis) {
      for (int corner = 0; corner < 8; ++corner) {
        Vec3 point;
        for (int axis = 0; axis < 3; ++axis) {
          point[axis] = ((corner >> axis) & 1) != 0 ? upper[axis] : lower[axis];
        }
        const double at = dot(reciprocal[k], point - crystal.origin - molecule.position);
        first[k] = std::min(first[k], std::floor(at) - 1.0);
        last[k] = std::max(last[k], std::ceil(at));
      }
    }
    sites *= last[k] - first[k] + 1.0;
  }
  if (!(sites * static_cast<double>(crystal.centers.size()) <= most_sites)) {
    throw std::invalid_argument("the lattice is so fine that it has more than 1e9 sites");
  }
  for (auto l = static_cast<std::int64_t>(first[2]); l <= static_cast<std::int64_t>(last[2]); ++l) {
    for (auto j = static_cast<std::int64_t>(first[1]); j <= static_cast<std::int64_t>(last[1]);
         ++j) {
      for (auto i = static_cast<std::int64_t>(first[0]); i <= static_cast<std::int64_t>(last[0]);
           ++i) {
        if (crystal.leaves_hexagons && (i - j + 2) % 3 == 0) continue;
        for (const Vec3& center : crystal.centers) {
          const Vec3 point = crystal.origin + (static_cast<double>(i) + center.x) * a +
                             (static_cast<double>(j) + center.y) * b +
                             (static_cast<double>(l) + center.z) * c;
          for (const Placed& molecule : crystal.basis) {
            Placed placed = molecule;
            placed.position += point;
            const Vec3& r = placed.position;
            const bool in_box = r.x >= 0.0 && r.x < edges.x && r.y >= 0.0 && r.y < edges.y &&
                                r.z >= 0.0 && r.z < edges.z;
            if (in_box && object.contains(r, true)) visit(placed);
          }
        }
      }
    }
  }
}

}  // namespace sterna::md::ls1
