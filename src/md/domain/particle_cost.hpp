#pragma once

#include <cstddef>
#include <vector>

#include "md/core/box.hpp"
#include "md/domain/decomposition.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Positions of a rank's local particles in unsheared coordinates, wrapped into the box, and the
/// cost of each.
struct ParticleCosts {
  std::vector<Vec3> points;
  std::vector<double> weights;
  double sum() const;
  /// Scales the weights so that their sum is the measured time of the rank.
  void scale_to(double sum);
};

enum class CostModel {
  particles,  ///< the same cost for every particle
  neighbors,  ///< a fixed cost plus one per neighbor, estimated from the local density
};

/// `region` is this rank's; particles may have left it since the last migration. `radius` is that
/// of the neighbor list.
ParticleCosts particle_costs(const ParticleStore& particles, const Box& box, const Region& region,
                             double radius, CostModel model);

/// The cost of all particles of a rank by the model `neighbors`, from the size of its neighbor
/// list.
double cost_by_neighbors(std::size_t particles, std::size_t neighbors);

}  // namespace sterna::md
