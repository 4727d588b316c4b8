#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "md/forces/coulomb/fmm/cell_shape.hpp"
#include "md/forces/coulomb/fmm/point_charges.hpp"

namespace sterna::md {

/// Which of the two fields of the fast multipole method are computed in single precision.
enum class FmmPrecision {
  single,  ///< both: force errors of about 1e-6
  mixed,   ///< the near field only: not much less
  full     ///< none
};

/// "single", "mixed", "double".
std::string_view name_of(FmmPrecision precision);

struct FmmParameters {
  static constexpr int highest_order = 32;
  static constexpr int most_top_cells = 64;  ///< along an edge
  /// Of what a tree that `choose` finds keeps for its top cells.
  static constexpr double most_bytes_of_sums = 128.0 * 1024.0 * 1024.0;

  int order = 8;  ///< highest degree, 2 to highest_order
  FmmPrecision precision = FmmPrecision::full;
  /// The box is repeated in all directions; otherwise it holds all charges.
  bool periodic = true;
  Surroundings surroundings = Surroundings::conductor;
  /// Cells of the coarsest level along each edge, at least 2.
  std::array<int, 3> top_cells{2, 2, 2};
  int levels = 1;        ///< each has twice the cells of the one above, along each edge
  bool dipoles = false;  ///< charges have dipoles too
  /// How far the leaves overlap, in units of their edges, 0 to 0.5: see LeafParts.
  double overlap = 0.0;
  /// Where they overlap: how far a molecule's center may move between two calls of `rebuild`.
  double travel = 0.0;
  std::string_view instruction_set = "auto";
  /// All ranks have a level of no more cells than this, and than there are ranks. A level of more
  /// is shared out, even where some ranks then have nothing of it: all of it would come by a
  /// reduction, which takes as long as the level has cells.
  int most_shared_cells = 64;

  /// Throws std::invalid_argument for what is out of range.
  void check() const;
  /// How far from its center's place at the last `rebuild`, between faces, a molecule may have
  /// parts, in fractions of an edge of the box.
  double reach(const Lattice& lattice, int axis) const;

  /// Order and precision for a relative root-mean-square force error of about `accuracy` in liquid
  /// water, and a tree for which near and far field take about the same time. No leaf is narrower
  /// than `least_width`, where that leaves enough of them, and none is divided in an oblique box.
  /// `all_levels`: the top and those below; 0: as many as cost least. `ranks` share the work: the
  /// transforms of the top by groups of coefficients, all else by regions.
  static FmmParameters choose(const Lattice& lattice, bool periodic, std::size_t count,
                              double accuracy, double least_width = 0.0, int all_levels = 0,
                              int ranks = 1);
  /// Such a tree and others that a model takes for nearly as fast, the fastest first, at most
  /// `most`.
  static std::vector<FmmParameters> candidates(const Lattice& lattice, bool periodic,
                                               std::size_t count, double accuracy,
                                               double least_width, int all_levels, int ranks,
                                               std::size_t most);

  /// A tree of one level, of the shape of those that `choose` finds.
  static FmmParameters even_tree(const Lattice& lattice, bool periodic);
  /// What a cell of the top holds. Midplanes are for oblique boxes, where cells between faces have
  /// far corners; they need cells that are neither divided nor cut off nor overlap.
  CellBorders borders(const Lattice& lattice) const;
  /// CellShape::separation of the cells of such a tree.
  double separation(const Lattice& lattice) const;
  /// Errors of random charges still fall with the order here, if slower than in cubes; from 0.88
  /// down they do not.
  static constexpr double least_separation = 0.9;
};

struct CheckedFmmParameters {
  FmmParameters parameters;
  /// Root of the mean square error of the forces, as measured, relative to that of the forces or,
  /// where they are small (a crystal), to a tenth of q^2 n^(2/3): charges q, number density n.
  double error;
};

/// Raises the order of `trial` until the error, measured against a much higher order in double
/// precision, is below `accuracy`. Where even the highest order has a larger one, it is what you
/// get, and `error` says so: fewer levels, with larger cells, have smaller errors.
/// `difference(a, b)`: relative root-mean-square difference of the forces with parameters a from
/// those with b; mostly called with the same b again and again.
CheckedFmmParameters check_parameters(
    FmmParameters trial, double accuracy,
    const std::function<double(const FmmParameters& a, const FmmParameters& b)>& difference);

}  // namespace sterna::md
