#pragma once

#include <functional>
#include <span>

#include "md/forces/coulomb/fmm/cell_box.hpp"
#include "md/forces/coulomb/fmm/point_charges.hpp"

namespace sterna::md {

/// Sums of the irregular harmonics between the cells of a grid: K_lm(n) = sum of S_lm(r) over the
/// positions r, relative to a cell, of the cell n cells away and, if the grid is periodic, of its
/// images, without the 27 cells around. Only their waves are computed,
///   sum over n of K_lm(n) exp(2 pi i k . n / grid) = i^l C_lm(k),
/// where C is real, because S_lm(-r) = (-1)^l S_lm(r).
///
/// In a periodic grid these are Ewald sums: parts that converge slowly in space converge fast over
/// the reciprocal lattice, of which a few points contribute to each wave (Challacombe, White,
/// Head-Gordon, J. Chem. Phys. 107, 10131 (1997), for one cell). They describe a lattice in a
/// neutralizing background, inside a conductor. The part of the potential that is not harmonic, 2
/// pi / (3 V) |u|^2 for a unit charge, is left out: u is the vector between two positions minus
/// that between their cells' centers, and V is the volume of the grid.
struct ImageSums {
  int order;     ///< highest degree l
  Lattice cell;  ///< edges in the coefficients' unit of length
  Cells grid;
  bool periodic;  ///< false: only the first half of the grid has cells, on each edge

  /// The sums, or their derivatives when the lattice is strained and the unit stays the same: xx yy
  /// zz xy xz yz (half of xy moves x along y, half moves y along x).
  enum class Kind { plain, strained };
  /// The number of arrays: one, or one for each strain.
  static constexpr std::size_t parts(Kind kind) { return kind == Kind::strained ? 6 : 1; }
  /// Computes the waves `begin` to `end`, numbered as in GridTransform: calls visit(wave, part,
  /// first degree, values of this and the following degrees). A wave is visited several times.
  using Visit = std::function<void(std::size_t, std::size_t, int, std::span<const double>)>;
  void make(Kind kind, std::size_t begin, std::size_t end, const Visit& visit) const;
};

}  // namespace sterna::md
