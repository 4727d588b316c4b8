#pragma once

#include <array>
#include <vector>

#include "md/fmm/cell_box.hpp"
#include "md/fmm/fmm_parameters.hpp"
#include "md/fmm/kernels/fmm_kernels.hpp"

namespace sterna::md {

/// All that is computed once for a box and a tree: shifts between levels and between cells of one
/// level, the lattice operator at the root. Units of length shrink with the cells, so one set of
/// shifts serves all levels.
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

  /// In a periodic box, between the top cells and their images in the near boxes: the sum over the
  /// images as one matrix over the coefficients. Where those would take too much memory, and in an
  /// open box, there are none.
  struct TopSum {
    std::vector<Real> matrix;  ///< element (local a, multipole b) at b * coefficients + a
    Cells source;              ///< relative to the target, both in the box
  };
  std::vector<TopSum> top_sums;
  /// The same as shifts, one for each image. Made where there are no sums, or when asked for.
  void make_top_shifts();
  struct TopShift {
    ShiftOperator<Real> operation;
    Vec3 connection;           ///< from the source to the target, in their unit
    std::vector<int> sources;  ///< for each cell, -1 for none
  };
  std::vector<TopShift> top_shifts;
  /// Between the top cells and the center of the box; empty in an open one.
  std::vector<ShiftOperator<Real>> to_root, from_root;
  std::vector<Vec3> from_center;         ///< of the box to those of the cells, in their unit
  std::vector<double> lattice_operator;  ///< empty in an open box
  Cells images{};  ///< boxes around whose cells are taken one by one; none in an open box

  std::vector<GradientTerm> gradient;

  double leaf_unit, top_unit, root_unit;  ///< of the coefficients

 private:
  void make_pairs(const Lattice& leaf);
  void make_top();
  void make_top_sums();
  Lattice top_cell() const;

  Lattice lattice_;
  FmmParameters parameters_;
};

extern template class FmmOperators<float>;
extern template class FmmOperators<double>;

}  // namespace sterna::md
