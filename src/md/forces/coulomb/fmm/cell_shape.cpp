#include "md/forces/coulomb/fmm/cell_shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace sterna::md {
namespace {

Vec3 at(const Lattice& cell, const Cells& by) {
  return cell.position({double(by[0]), double(by[1]), double(by[2])});
}

template <class Function>
void for_each_within(int distance, Function function) {
  CellBox{{-distance, -distance, -distance}, {distance + 1, distance + 1, distance + 1}}.for_each(
      function);
}

/// Vectors to all cells that may share a face with the Voronoi cell at the origin: for each parity
/// of the coordinates, the shortest vectors.
std::vector<Vec3> neighbors(const Lattice& cell) {
  std::vector<Vec3> found;
  for_each_within(1, [&](const Cells& parity) {
    if (parity == Cells{0, 0, 0} || std::min({parity[0], parity[1], parity[2]}) < 0) return;
    double shortest = HUGE_VAL;
    std::vector<Vec3> of_parity;
    for_each_within(2, [&](const Cells& half) {
      const Vec3 v =
          at(cell, {2 * half[0] + parity[0], 2 * half[1] + parity[1], 2 * half[2] + parity[2]});
      const double square = dot(v, v);
      if (square < shortest * (1.0 - 1e-9)) of_parity.clear(), shortest = square;
      if (square <= shortest * (1.0 + 1e-9)) of_parity.push_back(v);
    });
    found.insert(found.end(), of_parity.begin(), of_parity.end());
  });
  return found;
}

/// The points in which three midplanes meet and for which no other cell's center is nearer than the
/// origin.
std::vector<Vec3> corners_between_midplanes(const Lattice& cell) {
  const std::vector<Vec3> around = neighbors(cell);
  const double size = std::cbrt(cell.volume());
  std::vector<Vec3> corners;
  for (std::size_t i = 0; i < around.size(); ++i) {
    for (std::size_t j = i + 1; j < around.size(); ++j) {
      for (std::size_t k = j + 1; k < around.size(); ++k) {
        const Lattice three{around[i], around[j], around[k]};
        if (std::abs(three.volume()) < 1e-9 * cell.volume()) continue;
        // The corner satisfies dot(v, corner) = dot(v, v) / 2 for each of the three vectors v.
        const Lattice dual = three.reciprocal();
        const Vec3 corner = dual.position({0.5 * dot(three.a, three.a), 0.5 * dot(three.b, three.b),
                                           0.5 * dot(three.c, three.c)});
        const bool beyond = std::any_of(around.begin(), around.end(), [&](const Vec3& v) {
          return dot(v, corner) > 0.5 * dot(v, v) + 1e-9 * size * size;
        });
        if (!beyond) corners.push_back(corner);
      }
    }
  }
  return corners;
}

std::vector<Vec3> corners_between_faces(const Lattice& cell) {
  std::vector<Vec3> corners;
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      for (const double z : {-0.5, 0.5}) corners.push_back(cell.position({x, y, z}));
  return corners;
}

}  // namespace

CellShape::CellShape(const Lattice& cell, CellBorders borders) {
  const Lattice reciprocal = cell.reciprocal();
  double radius = 0.0;
  for (const Vec3& corner : borders == CellBorders::faces ? corners_between_faces(cell)
                                                          : corners_between_midplanes(cell)) {
    radius = std::max(radius, std::sqrt(dot(corner, corner)));
    for (int axis = 0; axis < 3; ++axis) {
      extent_[axis] = std::max(extent_[axis], std::abs(dot(reciprocal[axis], corner)));
    }
  }
  double nearest = HUGE_VAL;
  for_each_within(3, [&](const Cells& by) {
    if (std::max({std::abs(by[0]), std::abs(by[1]), std::abs(by[2])}) < 2) return;
    nearest = std::min(nearest, std::sqrt(dot(at(cell, by), at(cell, by))));
  });
  separation_ = nearest / (2.0 * radius);
}

Cells CellShape::nearest(const Lattice& cell, const Vec3& position, const CellBox& among) {
  CellBox choices;
  for (int axis = 0; axis < 3; ++axis) {
    const int here = std::clamp(static_cast<int>(std::floor(position[axis])), among.lower[axis],
                                among.upper[axis] - 1);
    choices.lower[axis] = std::max(here - 1, among.lower[axis]);
    choices.upper[axis] = std::min(here + 2, among.upper[axis]);
  }
  Cells best = choices.lower;
  double least = HUGE_VAL;
  choices.for_each([&](const Cells& choice) {
    const Vec3 from = cell.position(
        {choice[0] + 0.5 - position.x, choice[1] + 0.5 - position.y, choice[2] + 0.5 - position.z});
    const double square = dot(from, from);
    if (square < least) least = square, best = choice;
  });
  return best;
}

}  // namespace sterna::md
