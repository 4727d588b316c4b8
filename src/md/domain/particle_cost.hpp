#pragma once

#include <cstddef>
#include <vector>

#include "md/core/box.hpp"
#include "md/domain/decomposition.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Where the local particles of a rank are, in unsheared coordinates and wrapped into the box, and
/// what each of them costs.
struct ParticleCosts {
  std::vector<Vec3> points;
  std::vector<double> weights;
  double sum() const;
  /// Scales the weights to this sum: the measured time of the rank.
  void scale_to(double sum);
};

enum class CostModel {
  particles,  ///< every particle the same
  neighbors,  ///< a fixed part, and one for each neighbor, estimated from the density around
};

/// `region`: of this rank; particles may have left it since the last migration. `radius`: of the
/// neighbor list.
ParticleCosts particle_costs(const ParticleStore& particles, const Box& box, const Region& region,
                             double radius, CostModel model);

/// The same model for all particles of a rank together, by the neighbors that its list holds.
double cost_by_neighbors(std::size_t particles, std::size_t neighbors);

}  // namespace sterna::md
