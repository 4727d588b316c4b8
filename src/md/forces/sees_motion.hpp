#pragma once

#include <cstdint>

#include "md/system/particle_store.hpp"

namespace sterna::md {

/// What a `ForceTerm` is besides, if it needs velocities and the forces of constraints at the end of
/// some steps, when both belong to the positions of its last forces.
class SeesMotion {
 public:
  virtual ~SeesMotion() = default;

  /// Whether it needs them in this step. The same on all ranks.
  virtual bool needs_motion(std::int64_t step) const = 0;
  /// Collective, at the end of such a step. `by_lengths`: this rank's share of the derivative of the
  /// energy by lambda that the constraints have whose lengths change with lambda.
  virtual void see_motion(const ParticleStore& particles, double by_lengths) = 0;
};

}  // namespace sterna::md
