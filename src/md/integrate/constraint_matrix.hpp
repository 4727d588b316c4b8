#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "md/integrate/constraint_set.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Solves the linear equations of constraints that span ranks. See constraint_matrix.cpp. A rank
/// knows all constraints of its own atoms, and both atoms of each as local particles or ghosts.
class ConstraintMatrix {
 public:
  /// Copies vectors of particles to their ghosts. Collective. Between `start` and `finish` the
  /// caller may compute, and may change vectors of particles that are no other rank's ghosts.
  struct GhostVectors {
    using Exchange = std::function<void(std::span<const Vec3> local, std::span<Vec3> ghosts)>;
    Exchange start, finish;
    void operator()(std::span<const Vec3> local, std::span<Vec3> ghosts) const {
      start(local, ghosts);
      finish(local, ghosts);
    }
  };

  ConstraintMatrix(const comm::Context& context, GhostVectors ghost_vectors);

  /// Finds the multipliers of all `constraints` together. They reduce constraint k's product of
  /// difference and connection by `along[k]`, until the remainder is at most `goal` times the
  /// squared distance. The first `local` of `total` vectors belong to local particles. Returns
  /// whether it converged. Collective; the same on all ranks.
  bool solve(const ConstraintSet& set, std::span<const ConstraintSet::Constraint> constraints,
             std::span<const double> along, double goal, std::size_t local, std::size_t total,
             std::span<double> multipliers);

  static constexpr int most_iterations = 2000;

 private:
  comm::Context context_;
  GhostVectors ghost_vectors_;
  std::vector<double> rest_, direction_, image_;
  std::vector<Vec3> vectors_;
};

}  // namespace sterna::md
