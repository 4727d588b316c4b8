#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "md/forces/coulomb/fmm/fmm_parameters.hpp"
#include "md/forces/coulomb/fmm/grid_transform.hpp"
#include "md/forces/coulomb/fmm/shift_operator.hpp"
#include "md/forces/coulomb/fmm/solid_harmonics.hpp"
#include "md/simd/kernel_getters.hpp"
#include "md/system/staggered_array.hpp"

namespace sterna::md {

/// The index of degree l and order m, 0 <= m <= l; the degrees of one m are contiguous.
constexpr std::size_t wave_index(int order, int l, int m) {
  return static_cast<std::size_t>(m * (order + 1) - m * (m - 1) / 2 + l - m);
}
constexpr std::size_t wave_count(int order) {
  return static_cast<std::size_t>((order + 1) * (order + 2) / 2);
}

/// The number of lanes of the widest vector. Arrays of charges have room for as many entries behind
/// the last charge, so that kernels read and write whole vectors.
constexpr std::size_t most_lanes = 16;

/// The charges of one cell for the far field, with positions from the cell's center. Components are
/// separate arrays, because the lanes of a vector are charges of one cell.
template <class Real>
struct FarCharges {
  std::size_t count = 0;
  std::vector<Real> x, y, z, charge;  ///< charge is 0 behind the last one
  // Results.
  std::vector<Real> potential, field_x, field_y, field_z;

  void resize(std::size_t charges) {
    count = charges;
    const std::size_t room = (count + most_lanes - 1) / most_lanes * most_lanes;
    for (auto* array : {&x, &y, &z, &potential, &field_x, &field_y, &field_z}) array->resize(room);
    charge.resize(room);
    std::fill(charge.begin() + static_cast<std::ptrdiff_t>(count), charge.end(), Real(0));
  }
};

/// Charges for the near field, with positions from the center of their cell. In single precision
/// positions are rounded to 2^-24 of the cell's edge: the force of two charges a hundredth of an
/// edge apart is exact to 1e-5.
template <class Real>
struct NearCharges {
  using Index = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
  StaggeredArray<Real> x{0}, y{1}, z{2}, charge{3};
  StaggeredArray<Index> molecule{4};
  StaggeredArray<Real> dipole_x{0}, dipole_y{1}, dipole_z{2};  ///< if charges have dipoles
  // Results of all charges that are targets or lie in mutual cells:
  StaggeredArray<Real> potential{5}, field_x{6}, field_y{7}, field_z{8};
  StaggeredArray<Real> dipole_force_x{3}, dipole_force_y{4}, dipole_force_z{5};  ///< on the dipoles
                                                                                 ///< only
};

/// The charges `begin` to `end` of a near cell, whose center lies at `shift` from the target
/// cell's.
template <class Real>
struct NearCell {
  std::size_t begin, end;
  Real shift[3];
  /// Whether they may belong to molecules of the target charges.
  bool same_molecules;
  /// Whether they also receive potential and field of the target charges, because each pair is
  /// computed once.
  bool mutual;
};

/// Working memory of a kernel for one target cell: the charges of near cells in contiguous arrays,
/// with positions from the target cell's center, and sums over target charges.
template <class Real>
struct NearSources {
  StaggeredArray<Real> x{0}, y{1}, z{2}, charge{3};
  StaggeredArray<typename NearCharges<Real>::Index> molecule{4};
  StaggeredArray<Real> potential{5}, field_x{6}, field_y{7}, field_z{8};
};

/// The inner loops of the method, for one instruction set and precision.
template <class Real>
struct FmmKernels {
  std::size_t lanes;
  /// Adds the shifted expansions of `count` cells to `target`; coefficient a of cell i lies at
  /// a * stride + i.
  void (*shift)(const ShiftOperator<Real>& shift, const Real* source, std::size_t source_stride,
                Real* target, std::size_t target_stride, std::size_t count);
  /// Transforms a grid with as many values at each cell as there are lanes. Value i of a cell lies
  /// at cell * lanes + i, real parts of a wave at 2 * wave * lanes + i, imaginary parts `lanes`
  /// further.
  void (*to_waves)(const GridTransform<Real>& plan, const Real* values, Real* waves);
  /// The inverse transform, times the number of cells; overwrites the waves.
  void (*from_waves)(const GridTransform<Real>& plan, Real* waves, Real* values);
  /// Adds the local expansions of as many waves as there are lanes, computed from their multipoles
  /// and the sums between both. These are in the form of CellConvolution: m begins at 0, cosine and
  /// sine parts are a complex number, and there are two columns, for the real and for the imaginary
  /// parts of waves. The expansions are
  ///   L_lm = sum over l', m' of conj(M_l'm') I_(l+l')(m+m'),
  /// where M_l'(-m') = (-1)^m' conj(M_l'm'), and likewise for I. Element (l, m) of the sums, up to
  /// twice the order, has its parts of wave i at (2 * wave_index(2 * order, l, m) + part) * lanes +
  /// i. Elements of the expansions have theirs at (4 * wave_index(order, l, m) + part) * lanes + i:
  /// cosines of both columns, then sines.
  void (*convolve)(int order, const Real* sums, const Real* multipoles, Real* locals);
  /// Adds the multipoles of the charges to coefficients at multiples of `stride`; positions are
  /// divided by `unit`.
  void (*charges_to_multipole)(const HarmonicFactors& factors, const FarCharges<Real>& charges,
                               double unit, Real* multipole, std::size_t stride);
  /// Sets potential and field (minus its gradient) of a local expansion at the charges. `local`:
  /// four expansions one after the other, of the potential and of its gradient's components.
  void (*local_to_charges)(const HarmonicFactors& factors, const Real* local, double unit,
                           FarCharges<Real>& charges);
  /// Adds field and, if wanted, potential of the charges of near cells (including the cell itself),
  /// without charges of the same molecule. If `virial` is given, adds half of each ordered pair's
  /// force times the vector between the centers of the two cells, from the source's to the
  /// target's.
  void (*near_charges)(NearCharges<Real>& charges, std::size_t begin, std::size_t end,
                       std::span<const NearCell<Real>> cells, NearSources<Real>& sources,
                       bool potentials, VirialProducts* virial);
  /// As `near_charges`, for charges with dipoles; also adds the forces on dipoles. No cell is
  /// mutual.
  void (*near_dipoles)(NearCharges<Real>& charges, std::size_t begin, std::size_t end,
                       std::span<const NearCell<Real>> cells, VirialProducts* virial);
};

/// The number of points whose harmonics are computed together.
constexpr std::size_t points_together = 8;

/// The kernels of one instruction set.
struct FmmInstructionSet {
  std::string_view name;
  FmmKernels<float> single;
  FmmKernels<double> full;
  /// Sets the regular harmonics of points, up to twice the highest order of a tree: harmonic a of
  /// point i lies at a * points_together + i.
  void (*harmonics)(const HarmonicFactors& factors, const double* x, const double* y,
                    const double* z, double* values);

  template <class Real>
  const FmmKernels<Real>& kernels() const {
    if constexpr (std::is_same_v<Real, float>) {
      return single;
    } else {
      return full;
    }
  }
};
STERNA_KERNEL_GETTERS(FmmInstructionSet, fmm_kernels);

/// The kernels that this processor can run, as `available_kernels` and `select_kernels`.
std::vector<const FmmInstructionSet*> available_fmm_kernels();
const FmmInstructionSet& select_fmm_kernels(std::string_view name);

}  // namespace sterna::md
