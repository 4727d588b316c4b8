// Idea:    the effects of constraint forces on other constraints form a symmetric positive matrix.
//          It is never stored. A product with it applies multipliers along all constraints,
//          exchanges the changes of atoms with the halo, and takes the differences along the
//          constraints. Conjugate gradients solve the equations.
// Source:  the matrix: Hess et al., J. Comput. Chem. 18, 1463 (1997), eq. 11; conjugate gradients
//          with the diagonal as preconditioner: Hestenes and Stiefel, J. Res. Natl. Bur. Stand. 49,
//          409 (1952).
// Cost:    one halo exchange and two reductions per iteration; ten or so iterations for a chain
//          with angles of 110 degrees. A straight chain needs as many as it has constraints.
// Hazards: none from redundant constraints, if they do not contradict each other.
// Others:  SETTLE and SHAKE, which need no communication, if groups fit into the halo.

#include "md/integrate/constraint_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

ConstraintMatrix::ConstraintMatrix(const comm::Context& context, GhostVectors ghost_vectors)
    : context_(context), ghost_vectors_(std::move(ghost_vectors)) {}

bool ConstraintMatrix::solve(const ConstraintSet& set,
                             std::span<const ConstraintSet::Constraint> constraints,
                             std::span<const double> along, double goal, std::size_t local,
                             std::size_t total, std::span<double> multipliers) {
  const std::size_t count = constraints.size();
  // Two ranks know a constraint between them; only the rank of its first atom counts it.
  const auto counts = [&](std::size_t k) { return set.atoms[constraints[k].first].vector < local; };
  std::ranges::fill(multipliers, 0.0);
  rest_.assign(along.begin(), along.end());
  direction_.assign(count, 0.0);
  image_.resize(count);
  double last_product = 0.0;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    double product = 0.0, largest = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      if (!counts(k)) continue;
      product += rest_[k] * set.multiplier(constraints[k], rest_[k]);
      largest = largest_of(largest, std::abs(rest_[k]) / constraints[k].squared_distance);
    }
    comm::ReductionBatch(context_, "constraints").sum(product).max(largest).run();
    if (largest <= goal) return true;
    if (!std::isfinite(largest)) return false;
    const double turned = last_product > 0.0 ? product / last_product : 0.0;
    last_product = product;
    vectors_.assign(total, Vec3{});
    const GhostedVectors vectors(vectors_, local);
    for (std::size_t k = 0; k < count; ++k) {
      direction_[k] = set.multiplier(constraints[k], rest_[k]) + turned * direction_[k];
      set.push(constraints[k], direction_[k], vectors);
    }
    ghost_vectors_(vectors.local(), vectors.ghosts());
    double curvature = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      image_[k] = -dot(set.difference(constraints[k], vectors), constraints[k].connection);
      if (counts(k)) curvature += direction_[k] * image_[k];
    }
    comm::ReductionBatch(context_, "constraints").sum(curvature).run();
    if (!(curvature > 0.0)) return false;
    const double length = product / curvature;
    for (std::size_t k = 0; k < count; ++k) {
      multipliers[k] += length * direction_[k];
      rest_[k] -= length * image_[k];
    }
  }
  return false;
}

}  // namespace sterna::md
