#pragma once

#include <limits>

#include "md/core/box.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/selection.hpp"

namespace sterna::md {

/// Upper limits of forces and speeds. Idea: a force, torque, velocity or angular momentum that
/// exceeds its limit is shortened to it and keeps its direction. Source: the plugin MaxCheck of
/// ls1-MarDyn. Cost: one pass over the particles in each step in which it acts, no communication.
/// Hazards: shortening conserves neither energy nor momentum. Another wins: a minimization at the
/// start, if particles overlap only there.
class MotionLimit {
 public:
  static constexpr double none = std::numeric_limits<double>::infinity();
  struct Limits {
    double force = none, torque = none;
    double velocity = none, angular_momentum = none;
    /// Shortens velocities only if the force exceeds its limit, and angular momenta only if the
    /// torque does.
    bool overlaps_only = false;
  };

  /// `outside`: acts on molecules outside the region of `where`, of the same types.
  MotionLimit(const Limits& limits, const Selection& where, bool outside)
      : limits_(limits), where_(where), outside_(outside) {}

  /// To be called right after forces were computed.
  void limit_forces(ParticleStore& particles, const Box& box) const;
  /// To be called at the end of a step.
  void limit_velocities(ParticleStore& particles, const Box& box) const;

 private:
  bool acts_on(const Position& position, const Box& box) const;

  Limits limits_;
  Selection where_;
  bool outside_;
};

}  // namespace sterna::md
