#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "md/forces/coulomb/fmm/cell_shape.hpp"
#include "md/forces/coulomb/fmm/point_charges.hpp"

namespace sterna::md {

/// The fields of the fast multipole method that are computed in single precision.
enum class FmmPrecision {
  single,  ///< both fields: force errors of about 1e-6
  mixed,   ///< the near field only: slightly smaller errors
  full     ///< neither field
};

/// The name of a precision: "single", "mixed", "double".
std::string_view name_of(FmmPrecision precision);

struct FmmParameters {
  static constexpr int highest_order = 32;
  static constexpr int most_top_cells = 64;  ///< along an edge
  /// The largest memory for the sums of the top cells, for trees that `choose` finds.
  static constexpr double most_bytes_of_sums = 128.0 * 1024.0 * 1024.0;

  int order = 8;  ///< highest degree, from 2 to highest_order
  FmmPrecision precision = FmmPrecision::full;
  /// Whether the box is repeated in all directions; if not, it contains all charges.
  bool periodic = true;
  Surroundings surroundings = Surroundings::conductor;
  /// Cells of the coarsest level along each edge, at least 2.
  std::array<int, 3> top_cells{2, 2, 2};
  int levels = 1;        ///< below the top; each doubles the cells along each edge
  bool dipoles = false;  ///< whether charges also have dipoles
  /// The overlap of leaves in units of their edges, from 0 to 0.5: see LeafParts.
  double overlap = 0.0;
  /// For overlapping leaves: the largest path of a molecule's center between two calls of
  /// `rebuild`.
  double travel = 0.0;
  std::string_view instruction_set = "auto";
  /// A level is on all ranks if it has no more cells than this number and than there are ranks.
  /// Larger levels are distributed, even if some ranks then have no cell: a level on all ranks
  /// needs a reduction, whose time grows with its cells.
  int most_shared_cells = 64;

  /// Throws std::invalid_argument if a value is out of range.
  void check() const;
  /// The largest distance of a molecule's parts from its center's position at the last `rebuild`,
  /// beyond the faces of its leaf, in fractions of an edge of the box.
  double reach(const Lattice& lattice, int axis) const;

  /// Order and precision for a relative root mean square force error of about `accuracy` in liquid
  /// water, and a tree for which near and far field take about the same time. No leaf is narrower
  /// than `least_width`, if this leaves enough of them, and no cell is divided in an oblique box.
  /// `all_levels`: the number of levels including the top; 0: the cheapest. `ranks`: the number of
  /// ranks, which divide the transforms of the top by groups of coefficients, and all other work by
  /// regions.
  static FmmParameters choose(const Lattice& lattice, bool periodic, std::size_t count,
                              double accuracy, double least_width = 0.0, int all_levels = 0,
                              int ranks = 1);
  /// This tree and others that a model finds nearly as fast, the fastest first, at most `most`.
  static std::vector<FmmParameters> candidates(const Lattice& lattice, bool periodic,
                                               std::size_t count, double accuracy,
                                               double least_width, int all_levels, int ranks,
                                               std::size_t most);

  /// A tree of one level, with cells of the shape that `choose` uses.
  static FmmParameters even_tree(const Lattice& lattice, bool periodic);
  /// The borders of top-level cells. Midplanes are for oblique boxes, where cells between faces
  /// have far corners; they need cells that are neither divided, nor cut off, nor overlapping.
  CellBorders borders(const Lattice& lattice) const;
  /// CellShape::separation of the cells of this tree.
  double separation(const Lattice& lattice) const;
  /// The separation down to which errors of random charges still decrease with the order, though
  /// more slowly than in cubes; at 0.88 they do not.
  static constexpr double least_separation = 0.9;
};

struct CheckedFmmParameters {
  FmmParameters parameters;
  /// Measured root mean square error of the forces, relative to the forces or, if these are small
  /// (a crystal), to a tenth of q^2 n^(2/3) with charges q and number density n.
  double error;
};

/// Raises the order of `trial` until its error, measured against a much higher order in double
/// precision, is below `accuracy`. If even the highest order has a larger error, it is returned
/// with this `error`: fewer levels, with larger cells, have smaller errors. `difference(a, b)`:
/// relative root mean square difference of the forces with parameters a from those with b; mostly
/// called with the same b.
CheckedFmmParameters check_parameters(
    FmmParameters trial, double accuracy,
    const std::function<double(const FmmParameters& a, const FmmParameters& b)>& difference);

}  // namespace sterna::md
