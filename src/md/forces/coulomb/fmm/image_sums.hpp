#pragma once

#include <functional>
#include <span>

#include "md/forces/coulomb/fmm/cell_box.hpp"
#include "md/forces/coulomb/fmm/point_charges.hpp"

namespace sterna::md {

/// Sums of the irregular harmonics over all cells that are not near, between the cells of a grid:
/// K_lm(n) = sum of S_lm(r) over the positions r, relative to a cell, of the cell n cells further
/// and, where the grid is periodic, of its images, the 27 cells around left out. Only their waves
/// are made,
///   sum over n of K_lm(n) exp(2 pi i k . n / grid) = i^l C_lm(k) or, of odd l, i^l C_lm(k) too:
/// C is real, as S_lm(-r) = (-1)^l S_lm(r).
///
/// In a periodic grid these are Ewald sums: what converges slowly in space does so fast over the
/// reciprocal lattice, a few of whose points lie behind each wave (Challacombe, White, Head-Gordon,
/// J. Chem. Phys. 107, 10131 (1997), for one cell). They are those of a lattice in a neutralizing
/// background, inside a conductor. Of that, what is not harmonic, 2 pi / (3 V) |u|^2 for the
/// potential of a unit charge u away from where both have the place of their cells' centers, is not
/// in the sums; V is the volume of the grid.
struct ImageSums {
  int order;     ///< highest degree l
  Lattice cell;  ///< edges in the unit of length of the coefficients
  Cells grid;
  bool periodic;  ///< otherwise all but the first half of the grid along each edge is empty

  /// The sums, or their derivatives when the lattice is strained and the unit stays: xx yy zz xy xz
  /// yz (half of xy moves x along y, half moves y along x).
  enum class Kind { plain, strained };
  /// The sums, or one for each strain.
  static constexpr std::size_t parts(Kind kind) { return kind == Kind::strained ? 6 : 1; }
  /// Of waves `begin` to `end`, numbered as in GridTransform: visit(wave, part, first degree,
  /// values of that degree and those that follow). A wave is visited several times.
  using Visit = std::function<void(std::size_t, std::size_t, int, std::span<const double>)>;
  void make(Kind kind, std::size_t begin, std::size_t end, const Visit& visit) const;
};

}  // namespace sterna::md
