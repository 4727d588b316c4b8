#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "md/integrate/constraint_set.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Linear equations of constraints that span ranks. See constraint_matrix.cpp. A rank knows all
/// constraints of its own atoms, and both atoms of each are local particles or ghosts of it.
class ConstraintMatrix {
 public:
  /// Writes the vectors of the ghosts with those of the particles that they are copies of.
  /// Collective. Between `start` and `finish` the caller may compute, and change the vectors of
  /// particles that no other rank has among its ghosts.
  struct GhostVectors {
    using Exchange = std::function<void(std::span<const Vec3> local, std::span<Vec3> ghosts)>;
    Exchange start, finish;
    void operator()(std::span<const Vec3> local, std::span<Vec3> ghosts) const {
      start(local, ghosts);
      finish(local, ghosts);
    }
  };

  ConstraintMatrix(const comm::Context& context, GhostVectors ghost_vectors);

  /// Finds the multipliers whose pushes together take `along[k]` off the product of difference and
  /// connection of each of the `constraints` of the set, until no rest is larger than `goal` times
  /// the square of the distance. `local` of `total` vectors are those of local particles.
  /// Returns whether it did. Collective; the same on all ranks.
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
