#pragma once

#include "md/core/box.hpp"
#include "md/forces/external/wall_surface.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/selection.hpp"

namespace sterna::md {

/// A mirror for the centers of molecules. Idea: a center that has crossed the surface in the drift
/// of a step is moved to its mirror image, and its velocity along the normal is reversed, as in an
/// elastic collision. Source: Allen and Tildesley, Computer Simulation of Liquids, 2nd edition,
/// section 3.6 (hard walls). Cost: one pass over the particles in each step, no communication.
/// Hazards: molecules that are behind it at the start stay there; at a sphere the collision is
/// assumed at the end of the path, an error of second order. Another wins: a wall with a potential,
/// if the fluid should have a layered structure at it.
class ReflectingWall {
 public:
  /// Molecules are kept on `side` of the surface.
  ReflectingWall(const WallSurface& surface, WallSurface::Side side, const Selection& where)
      : surface_(surface), side_(side), where_(where) {}

  /// To be called after a drift by the velocities times `timestep`.
  void reflect(ParticleStore& particles, const Box& box, double timestep) const;

 private:
  WallSurface surface_;
  WallSurface::Side side_;
  Selection where_;
};

}  // namespace sterna::md
