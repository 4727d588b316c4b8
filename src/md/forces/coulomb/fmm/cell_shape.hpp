#pragma once

#include "md/core/vector.hpp"
#include "md/forces/coulomb/fmm/cell_box.hpp"
#include "md/forces/coulomb/fmm/point_charges.hpp"

namespace sterna::md {

/// What belongs to a cell of a lattice of cells.
enum class CellBorders {
  faces,     ///< the cell itself, between its faces
  midplanes  ///< what is nearer to its center than to that of any other cell: its Voronoi cell
};

/// Shape of the cells of an oblique grid. A cell between leaning faces has far corners, in which
/// charges come nearer to the expansions of other cells than these converge; its Voronoi cell, of
/// the same volume, is as round as the lattice of cells allows. In a rectangular grid the two are
/// the same.
class CellShape {
 public:
  /// `cell`: its edges.
  CellShape(const Lattice& cell, CellBorders borders);

  /// How far along each axis it reaches from its center, in fractions of the edges; 1/2 at least.
  const Vec3& extent() const { return extent_; }
  /// The distance of the nearest cells that are not neighbors, on any axis, over the diameter of
  /// the cell. Cubes have 2/sqrt(3); below 1 there are places for which expansions do not converge.
  double separation() const { return separation_; }

  /// With midplanes: the cell of `among` that a position, in units of the edges, belongs to, where
  /// it is no farther than one from the cell between whose faces the position lies. Of centers that
  /// are as near the first.
  static Cells nearest(const Lattice& cell, const Vec3& position, const CellBox& among);

 private:
  Vec3 extent_{0.5, 0.5, 0.5};
  double separation_ = 0.0;
};

}  // namespace sterna::md
