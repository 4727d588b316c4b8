#pragma once

#include <cstddef>
#include <cstdint>

#include "md/model/truncation.hpp"
#include "md/neighbors/pair_work.hpp"

namespace sterna::md {

/// What the kernels of a potential read, by pair of types: number `a * type_count + b` of each
/// array, behind which lies `behind_tables`.
template <class Real>
struct PotentialTables {
  /// 0 where the pair has another potential: nothing is within it.
  const Real* cutoff_squared;
  /// Coefficient k of all pairs begins at k * type_count^2. Pairs with another potential have those
  /// of some pair that has this one.
  const Real* coefficients;
  const Real *energy_shift, *force_shift;
  const Real* switch_start_squared;
  /// `PairEnd::terms`; number k of all pairs begins at k * type_count^2.
  const Real* end_terms;
  const Real* curves;  ///< polynomials of tables
  /// A distance at which every pair can be computed.
  Real safe_squared;
  /// Particles that are nearer count as being so far apart.
  Real least_squared;
};

/// One potential of a run. Plain data, as `PairWork` is.
struct PotentialWork {
  Truncation truncation;           ///< "truncated": the shifts are all there is
  const unsigned char* has_pairs;  ///< by type: whether a pair of it has this potential
  PotentialTables<double> in_double;
  PotentialTables<float> in_single;
};

/// One instruction set's kernels of all potentials.
struct PotentialKernels {
  /// Adds to the forces that `work` says: of full lists in double precision, of half lists in mixed
  /// precision.
  using Compute = void (*)(PairWork& work, const PotentialWork& potential,
                           const std::uint32_t* cells, std::size_t cell_count);
  struct OfPotential {
    Compute in_double[2], mixed[2];  ///< without and with energy and virial
  };
  const char* name;
  const OfPotential* potentials;  ///< in the order of `pair_potential_table`
};

const PotentialKernels& potential_kernels_baseline();
const PotentialKernels& potential_kernels_avx2();
const PotentialKernels& potential_kernels_avx512();

}  // namespace sterna::md
