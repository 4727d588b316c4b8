#pragma once

#include <array>
#include <vector>

#include "md/forces/coulomb/fmm/cell_box.hpp"
#include "md/forces/coulomb/fmm/fmm_parameters.hpp"
#include "md/forces/coulomb/fmm/kernels/fmm_kernels.hpp"

namespace sterna::md {

/// What is computed once for a box and a tree: shifts between levels and between cells of one
/// level. Units of length shrink with the cells, so one set of shifts serves all levels.
template <class Real>
class FmmOperators {
 public:
  FmmOperators(const Lattice& lattice, const FmmParameters& parameters);

  /// Between the center of a child, by octant (bits x, y, z), and that of its parent.
  std::vector<ShiftOperator<Real>> up, down;
  std::array<Vec3, 8> from_parent;  ///< from the parent's center, in units of the child

  /// A cell that is not a neighbor of a cell in `octant` of its parent, but whose parent is.
  struct Pair {
    int shift;     ///< index into pair_shifts
    int octant;    ///< of the source
    Cells parent;  ///< of the source, relative to the target's
  };
  std::array<std::vector<Pair>, 8> pairs;  ///< by octant of the target
  std::vector<ShiftOperator<Real>> pair_shifts;
  std::vector<Vec3> pair_connections;  ///< of each, from the source to the target in their unit

  std::vector<GradientTerm> gradient;

  Lattice top_cell;            ///< edges
  double leaf_unit, top_unit;  ///< of the coefficients

 private:
  void make_pairs(const Lattice& leaf, int order);
};

extern template class FmmOperators<float>;
extern template class FmmOperators<double>;

}  // namespace sterna::md
