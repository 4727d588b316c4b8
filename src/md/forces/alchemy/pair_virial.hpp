#pragma once

#include "md/core/energy_and_virial.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

/// Adds the virial of two bodies: the force is that on the one to which the connection leads. Torques
/// make r_x f_y and r_y f_x differ; these are the elements of EnergyAndVirial.
inline void add_pair_virial(EnergyAndVirial& sums, const Vec3& connection, const Vec3& force) {
  sums.virial[0] += connection.x * force.x;
  sums.virial[1] += connection.y * force.y;
  sums.virial[2] += connection.z * force.z;
  sums.virial[3] += connection.y * force.x;
  sums.virial[4] += connection.z * force.x;
  sums.virial[5] += connection.z * force.y;
}

}  // namespace sterna::md
