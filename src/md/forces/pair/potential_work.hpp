#pragma once

#include <cstddef>
#include <cstdint>

#include "md/model/truncation.hpp"
#include "md/neighbors/pair_work.hpp"
#include "md/simd/kernel_getters.hpp"

namespace sterna::md {

/// The tables that kernels of a potential read. Each array has number `a * type_count + b` for
/// types a and b, and `behind_tables` readable numbers at its end.
template <class Real>
struct PotentialTables {
  /// The squared cutoff is 0 if the pair has another potential, so that every distance is beyond
  /// it.
  const Real* cutoff_squared;
  /// Coefficient k of all pairs begins at k * type_count^2. A pair with another potential has the
  /// coefficients of some pair with this one.
  const Real* coefficients;
  const Real *energy_shift, *force_shift;
  const Real* switch_start_squared;
  /// The numbers of `PairEnd::terms`; number k of all pairs begins at k * type_count^2.
  const Real* end_terms;
  const Real* curves;  ///< polynomials of tabulated potentials
  /// A distance at which every pair can be computed.
  Real safe_squared;
  /// Particles closer than this are computed as if they were this far apart.
  Real least_squared;
};

/// One potential of a run, as plain data like `PairWork`.
struct PotentialWork {
  Truncation truncation;           ///< "truncated" if potentials are only shifted
  const unsigned char* has_pairs;  ///< by type: true if any of its pairs has this potential
  PotentialTables<double> in_double;
  PotentialTables<float> in_single;
};

/// The kernels of one instruction set for all potentials.
struct PotentialKernels {
  /// Adds the forces of half lists to those of `work`.
  using Compute = void (*)(PairWork& work, const PotentialWork& potential,
                           const std::uint32_t* cells, std::size_t cell_count);
  struct OfPotential {
    Compute in_double[2], mixed[2];  ///< first without, then with energy and virial
  };
  const char* name;
  const OfPotential* potentials;  ///< in the order of `pair_potential_table`
};

STERNA_KERNEL_GETTERS(PotentialKernels, potential_kernels);

}  // namespace sterna::md
