#pragma once

#include "md/core/vector.hpp"
#include "md/forces/coulomb/fmm/cell_box.hpp"
#include "md/forces/coulomb/fmm/point_charges.hpp"

namespace sterna::md {

/// The region that belongs to a cell of a lattice.
enum class CellBorders {
  faces,     ///< the cell itself, between its faces
  midplanes  ///< the Voronoi cell: nearer to this center than to others
};

/// The shape of the cells of an oblique grid. A cell between tilted faces has far corners, in which
/// charges come nearer to the expansions of other cells than the radius of convergence. Its Voronoi
/// cell, of the same volume, is as round as the lattice allows. In a rectangular grid the two are
/// the same.
class CellShape {
 public:
  /// `cell`: the edges of a cell.
  CellShape(const Lattice& cell, CellBorders borders);

  /// The largest distance from the center along each axis, in fractions of the edges; at least 1/2.
  const Vec3& extent() const { return extent_; }
  /// The distance of the nearest cells that are not neighbors along any axis, divided by the
  /// diameter of the cell: 2/sqrt(3) for cubes. Below 1 there are positions at which expansions do
  /// not converge.
  double separation() const { return separation_; }

  /// For midplanes: the cell of `among` to which a position belongs. The position is in units of
  /// the edges, and the result is at most one cell from the cell between whose faces it lies. If
  /// several centers are equally near, the first is chosen.
  static Cells nearest(const Lattice& cell, const Vec3& position, const CellBox& among);

 private:
  Vec3 extent_{0.5, 0.5, 0.5};
  double separation_ = 0.0;
};

}  // namespace sterna::md
