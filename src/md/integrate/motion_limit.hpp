#pragma once

#include <limits>

#include "md/core/box.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/selection.hpp"

namespace sterna::md {

/// Upper limits of forces and speeds. Idea: a force, torque, velocity or angular momentum that is
/// longer than its limit is shortened to it and keeps its direction. Source: the plugin MaxCheck of
/// ls1-MarDyn. Cost: one pass over the particles in each step that it acts in, no communication.
/// Hazards: what is shortened conserves neither energy nor momentum. Another wins: a minimization
/// at the start, wherever overlaps are only there.
class MotionLimit {
 public:
  static constexpr double none = std::numeric_limits<double>::infinity();
  struct Limits {
    double force = none, torque = none;
    double velocity = none, angular_momentum = none;
    /// Velocities are shortened only where the force is beyond its limit, angular momenta where the
    /// torque is.
    bool overlaps_only = false;
  };

  /// `outside`: acts on the molecules that `where` does not contain for their place; their type is
  /// still that of `where`.
  MotionLimit(const Limits& limits, const Selection& where, bool outside)
      : limits_(limits), where_(where), outside_(outside) {}

  /// With forces that were computed just now.
  void limit_forces(ParticleStore& particles, const Box& box) const;
  /// At the end of a step.
  void limit_velocities(ParticleStore& particles, const Box& box) const;

 private:
  bool acts_on(const Position& position, const Box& box) const;

  Limits limits_;
  Selection where_;
  bool outside_;
};

}  // namespace sterna::md
