#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "md/fmm/shift_operator.hpp"
#include "md/fmm/solid_harmonics.hpp"

namespace sterna::md {

constexpr int fmm_highest_order = 16;

/// Charges sorted by cell, positions relative to the center of their cell. Components apart, as
/// the lanes of a vector are charges of one cell.
template <class Real>
struct CellCharges {
  using Index = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
  std::vector<Real> x, y, z, charge;
  std::vector<Index> molecule;
  // Results.
  std::vector<Real> potential, field_x, field_y, field_z;
};

/// Charges `begin` to `end`, whose cell's center lies at `shift` from the target cell's.
struct NearCell {
  std::size_t begin, end;
  double shift[3];
};

/// The inner loops of the method for one instruction set and precision.
template <class Real>
struct FmmKernels {
  std::size_t lanes;
  /// Adds the shifted expansions of `count` cells to `target`; coefficient a of cell i lies at
  /// a * stride + i.
  void (*shift)(const ShiftOperator<Real>& shift, const Real* source, std::size_t source_stride,
                Real* target, std::size_t target_stride, std::size_t count);
  /// Adds the multipoles of the charges `begin` to `end` to coefficients at multiples of `stride`;
  /// positions are divided by `unit`.
  void (*charges_to_multipole)(const HarmonicFactors& factors, const CellCharges<Real>& charges,
                               std::size_t begin, std::size_t end, double unit, Real* multipole,
                               std::size_t stride);
  /// Adds potential and field (minus its gradient) of a local expansion at the charges. `local`:
  /// four expansions one after the other, of the potential and of its gradient's components.
  void (*local_to_charges)(const HarmonicFactors& factors, const Real* local, double unit,
                           CellCharges<Real>& charges, std::size_t begin, std::size_t end);
  /// Adds potential and field of the charges of near cells (the cell itself among them), those of
  /// the same molecule left out.
  void (*near_field)(CellCharges<Real>& charges, std::size_t begin, std::size_t end,
                     std::span<const NearCell> sources);
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
