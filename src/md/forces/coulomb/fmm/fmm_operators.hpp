#pragma once

#include <array>
#include <vector>

#include "md/forces/coulomb/fmm/cell_box.hpp"
#include "md/forces/coulomb/fmm/fmm_parameters.hpp"
#include "md/forces/coulomb/fmm/kernels/fmm_kernels.hpp"

namespace sterna::md {

/// Operators that are computed once for a box and a tree: shifts between levels, and between cells
/// of one level. Units of length shrink with the cells, so one set of shifts serves all levels.
template <class Real>
class FmmOperators {
 public:
  FmmOperators(const Lattice& lattice, const FmmParameters& parameters);

  /// Shifts between the center of a child, by octant (bits x, y, z), and the center of its parent.
  std::vector<ShiftOperator<Real>> up, down;
  std::array<Vec3, 8> from_parent;  ///< from the parent's center, in units of the child's

  /// A source cell that is not a neighbor of the target cell but whose parent is a neighbor of the
  /// target's parent.
  struct Pair {
    int shift;     ///< index into pair_shifts
    int octant;    ///< of the source in its parent
    Cells parent;  ///< of the source, relative to the target's parent
  };
  std::array<std::vector<Pair>, 8> pairs;  ///< by the target's octant
  std::vector<ShiftOperator<Real>> pair_shifts;
  std::vector<Vec3> pair_connections;  ///< by shift: from source to target, in their unit

  std::vector<GradientTerm> gradient;

  Lattice top_cell;            ///< edges
  double leaf_unit, top_unit;  ///< units of length of the coefficients

 private:
  void make_pairs(const Lattice& leaf, int order);
};

extern template class FmmOperators<float>;
extern template class FmmOperators<double>;

}  // namespace sterna::md
