#pragma once

#include <cstddef>
#include <cstdint>

#include "md/forces/manybody/bond_rows.hpp"
#include "md/simd/kernel_getters.hpp"

namespace sterna::md {

/// The largest number of elements whose sums of harmonics are distinguished.
inline constexpr std::size_t most_snap_channels = 16;

/// A product of two sums of harmonics, coupled to harmonics of jc. Offsets are in complex numbers.
struct SnapProduct {
  int ja, jb, jc;
  std::uint32_t a, b;  ///< offsets of the factors in the whole matrices of all channels
  std::uint32_t first_term, first_element;    ///< of the couplings of these ja, jb and jc
  std::uint32_t first_slope, slopes;          ///< derivatives of the energy to which it contributes
  std::uint32_t first_component, components;  ///< components of which it is a factor
};

/// A pair of elements of the factors of a product, as offsets in their matrices, and the product of
/// their two coefficients by Clebsch and Gordan.
struct SnapTerm {
  std::uint32_t a, b;
  double coupling;
};

/// A product's contribution to the derivative of the energy by the sum of one channel.
struct SnapSlope {
  std::uint32_t target;  ///< offset in the half matrices of all channels
  std::uint32_t first_share, shares;
};
/// The factor is the derivative of the energy by this component times a number.
struct SnapShare {
  std::uint32_t component;
  double factor;
};

/// A component is `factor` times the scalar product of a product and a sum of harmonics.
struct SnapComponent {
  std::uint32_t component;
  std::uint32_t other;  ///< offset of the sum in the half matrices of all channels
  double factor;
};

/// What depends on two types: the center and its neighbor.
struct SnapPair {
  double cutoff;
  double phase_per_length;  ///< pi / (cutoff - rmin0)
  double inner_middle, inner_phase_per_length;
};

/// The data that the kernels of SNAP read and write.
struct SnapWork {
  BondRows rows;

  int twice_j, channels;
  bool quadratic, switched, inner_switch, self_of_all;
  double rfac0, rmin0;

  // A half matrix of 2j has rows 0 to j, rounded down; the rest follows from its symmetry.
  std::uint32_t half_size, whole_size;              ///< of all j of a channel
  const std::uint32_t *half_offset, *whole_offset;  ///< by 2j
  const double* roots;  ///< two factors of the recursion for each element of the half matrices

  const SnapProduct* products;
  std::size_t product_count;
  const SnapTerm* terms;             ///< of each element of half matrices, one after the other
  const std::uint32_t* term_counts;  ///< of each element
  const SnapSlope* slopes;
  const SnapShare* shares;
  const SnapComponent* components;
  std::size_t component_count;

  // By type of the center:
  const double* constant;    ///< energy without neighbors, without what the products give
  const double* linear;      ///< component_count coefficients each
  const double* lone;        ///< component_count each: subtracted from the components
  const double* quadratics;  ///< component_count (component_count + 1) / 2 each
  // By type of the neighbor:
  const double* weight;
  const std::uint32_t* channel;
  const SnapPair* pairs;  ///< type_count^2
};

/// The kernels for one instruction set: energy, virial and forces of the terms whose center is a
/// particle of the given cells.
struct SnapKernels {
  const char* name;  ///< "avx512"
  std::size_t (*scratch_bytes)(const SnapWork&);
  void (*compute)(SnapWork&, const std::uint32_t* cells, std::size_t cell_count);
};

STERNA_KERNEL_GETTERS(SnapKernels, snap_kernels);

}  // namespace sterna::md
