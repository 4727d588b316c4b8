#pragma once

#include "md/core/box.hpp"
#include "md/forces/external/wall_surface.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/selection.hpp"

namespace sterna::md {

/// A mirror for the centers of molecules. Idea: what has crossed the surface in the drift of a step
/// is put back to its mirror image, and the velocity along the normal is turned round, as in an
/// elastic collision. Source: Allen and Tildesley, Computer Simulation of Liquids, 2nd edition,
/// section 3.6 (hard walls). Cost: one pass over the particles in each step, no communication.
/// Hazards: molecules that are behind it at the start stay there; at a sphere the collision is
/// taken to be at the end of the path, an error of second order. Another wins: a wall with a
/// potential, where the fluid should have a layered structure at it.
class ReflectingWall {
 public:
  /// `surface` has its side above; `side` is where molecules are kept.
  ReflectingWall(const WallSurface& surface, WallSurface::Side side, const Selection& where)
      : surface_(surface), side_(side), where_(where) {}

  /// After a drift by these velocities times `timestep`.
  void reflect(ParticleStore& particles, const Box& box, double timestep) const;

 private:
  WallSurface surface_;
  WallSurface::Side side_;
  Selection where_;
};

}  // namespace sterna::md
