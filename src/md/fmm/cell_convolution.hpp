#pragma once

#include <array>
#include <optional>
#include <vector>

#include "md/fmm/expansion_level.hpp"
#include "md/fmm/image_sums.hpp"
#include "md/fmm/kernels/fmm_kernels.hpp"

namespace sterna::md {

/// Local expansions of all cells of a grid from the multipoles of all that are not near, images
/// included where it is periodic.
template <class Real>
class CellConvolution {
 public:
  /// `cell`: its edges; coefficients in units of `unit`.
  CellConvolution(const Lattice& cell, const Cells& grid, bool periodic, int order, double unit,
                  const FmmKernels<Real>& kernels);

  /// Adds to `locals`; both have the cells of the grid.
  void add(const CellExpansions<Real>& multipoles, CellExpansions<Real>& locals);
  /// Of the multipoles of the last `add`: minus the derivatives of their energy when the positions
  /// of the cells and the lattice are strained and the multipoles stay (xx yy zz xy xz yz), in the
  /// unit of length of the coefficients.
  std::array<double, 6> virial();

 private:
  /// Of a real coefficient: where its cosine or sine is among the others and what it is multiplied
  /// with, as a multipole and as a local expansion.
  struct Place {
    std::size_t part;
    int degree;
    Real into, out_of;
  };

  std::vector<Real> packed_sums(ImageSums::Strain strain) const;
  void to_waves(const CellExpansions<Real>& multipoles);
  void from_waves(CellExpansions<Real>& locals);
  std::size_t blocks() const { return (plan_.waves().count() + lanes_ - 1) / lanes_; }
  std::size_t block_size() const { return 4 * wave_count(order_) * lanes_; }
  std::size_t sums_size() const { return 2 * wave_count(2 * order_) * lanes_; }

  Lattice cell_;  ///< in the unit of the coefficients
  Cells cells_;
  bool periodic_;
  int order_;
  const FmmKernels<Real>& kernels_;
  std::size_t lanes_;
  GridTransform<Real> plan_;
  double scale_;  ///< factorials grow with the degree; with its powers taken out they stay near 1
  std::vector<Place> places_;
  std::vector<Real> sums_;
  std::optional<std::array<std::vector<Real>, 6>> strained_sums_;  ///< where asked for
  std::vector<Real> multipoles_, locals_;                          ///< of waves
  std::vector<Real> values_, waves_;                               ///< of some coefficients
};

extern template class CellConvolution<float>;
extern template class CellConvolution<double>;

}  // namespace sterna::md
