#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "md/fmm/fmm_parameters.hpp"
#include "md/fmm/shift_operator.hpp"
#include "md/fmm/solid_harmonics.hpp"

namespace sterna::md {

/// Charges sorted by cell as the far field sees them, positions relative to the center of their
/// cell. Components apart, as the lanes of a vector are charges of one cell.
template <class Real>
struct FarCharges {
  std::vector<Real> x, y, z, charge;
  // Results.
  std::vector<Real> potential, field_x, field_y, field_z;
};

/// As the near field sees them: with float, positions are integers times `resolution` from the
/// center of their cell, so that the difference of two near positions is exact however large the
/// cell is. Sums over the charges of one cell are Real, those over cells double.
template <class Real>
struct NearCharges {
  using Coordinate = std::conditional_t<sizeof(Real) == 4, std::int32_t, double>;
  using Index = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
  double resolution = 1.0;  ///< length of one unit of the coordinates
  std::vector<Coordinate> x, y, z;
  std::vector<Real> charge;
  std::vector<Index> molecule;
  std::vector<Real> dipole_x, dipole_y, dipole_z;  ///< where there are dipoles; real lengths
  // Results, of as many as are targets.
  std::vector<double> potential, field_x, field_y, field_z;
  std::vector<double> dipole_force_x, dipole_force_y, dipole_force_z;  ///< on dipoles alone
};

/// Charges `begin` to `end`, whose cell's center lies at `shift` from the target cell's.
template <class Real>
struct NearCell {
  std::size_t begin, end;
  typename NearCharges<Real>::Coordinate shift[3];
  /// Whether molecules of the target charges may be among them.
  bool same_molecules;
};

/// The inner loops of the method for one instruction set and precision.
template <class Real>
struct FmmKernels {
  std::size_t lanes;
  /// Adds the shifted expansions of `count` cells to `target`; coefficient a of cell i lies at
  /// a * stride + i.
  void (*shift)(const ShiftOperator<Real>& shift, const Real* source, std::size_t source_stride,
                Real* target, std::size_t target_stride, std::size_t count);
  /// Adds `matrix` times the expansions of as many cells as there are lanes to `target`; element
  /// (row a, column b) of the matrix lies at b * size + a, coefficient a of cell i at
  /// a * lanes + i.
  void (*multiply)(const Real* matrix, std::size_t size, const Real* source, Real* target);
  /// Adds the multipoles of the charges `begin` to `end` to coefficients at multiples of `stride`;
  /// positions are divided by `unit`.
  void (*charges_to_multipole)(const HarmonicFactors& factors, const FarCharges<Real>& charges,
                               std::size_t begin, std::size_t end, double unit, Real* multipole,
                               std::size_t stride);
  /// Adds potential and field (minus its gradient) of a local expansion at the charges. `local`:
  /// four expansions one after the other, of the potential and of its gradient's components.
  void (*local_to_charges)(const HarmonicFactors& factors, const Real* local, double unit,
                           FarCharges<Real>& charges, std::size_t begin, std::size_t end);
  /// Adds potential and field of the charges of near cells (the cell itself among them), those of
  /// the same molecule left out. Where `virial` is given, adds half of each pair's force times the
  /// vector between the centers of the two cells, from the source's to the target's.
  void (*near_field)(NearCharges<Real>& charges, std::size_t begin, std::size_t end,
                     std::span<const NearCell<Real>> sources, VirialProducts* virial);
  /// The same for charges that have dipoles; adds the forces on these too.
  void (*near_dipoles)(NearCharges<Real>& charges, std::size_t begin, std::size_t end,
                       std::span<const NearCell<Real>> sources, VirialProducts* virial);
};

/// The kernels of one instruction set.
struct FmmInstructionSet {
  std::string_view name;
  FmmKernels<float> single;
  FmmKernels<double> full;

  template <class Real>
  const FmmKernels<Real>& kernels() const {
    if constexpr (std::is_same_v<Real, float>) {
      return single;
    } else {
      return full;
    }
  }
};
const FmmInstructionSet& fmm_kernels_avx512();
const FmmInstructionSet& fmm_kernels_avx2();
const FmmInstructionSet& fmm_kernels_baseline();

/// Those that this processor can run, widest first; the last is "baseline", which any can.
std::vector<const FmmInstructionSet*> available_fmm_kernels();

}  // namespace sterna::md
