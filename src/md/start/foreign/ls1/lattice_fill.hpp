#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "md/core/quaternion.hpp"
#include "md/core/vector.hpp"
#include "md/start/foreign/ls1/objects.hpp"

namespace sterna::md::ls1 {

/// A placed molecule, which has no id yet.
struct Placed {
  std::int64_t component = 0;
  Vec3 position, velocity;
  Quaternion orientation;
  Vec3 angular_momentum;
};

/// A crystal: a copy of the basis at each center of each cell.
struct Crystal {
  std::array<Vec3, 3> cell;      ///< lattice vectors
  std::vector<Vec3> centers;     ///< of a cell, as multiples of its vectors
  bool leaves_hexagons = false;  ///< leaves out the centers of hexagons (ls1's "hexagonal")
  Vec3 origin;
  std::vector<Placed> basis;
};

/// Visits the sites of the crystal that lie in the object and in the box [0, edges), in an order
/// that depends on the arguments only. Throws std::invalid_argument if the cell has no volume, or
/// if more than 10^9 sites would have to be checked.
void fill_with_crystal(const Crystal& crystal, const Object& object, const Vec3& edges,
                       const std::function<void(const Placed&)>& visit);

}  // namespace sterna::md::ls1
