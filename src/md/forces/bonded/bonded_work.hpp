#pragma once

#include <cstddef>
#include <cstdint>

#include "md/core/vector.hpp"
#include "md/simd/kernel_getters.hpp"
#include "md/system/molecule_batch.hpp"
#include "md/system/position.hpp"

namespace sterna::md {

/// Marks an image that is not of a particle of this rank.
inline constexpr std::uint32_t no_target = ~std::uint32_t{0};

/// Terms of one kind that a rank computes one by one. Plain data, because the files compiled for
/// one instruction set must not instantiate code that others share.
struct BondedWork {
  const Position* position;
  std::size_t count;
  /// For atom k of term t at index t * atoms + k: the index of its position, perhaps of an image.
  const std::uint32_t* places;
  /// For each particle behind the local ones: the local particle of which it is an image, or
  /// no_target.
  const std::uint32_t* local_of_ghost;
  std::size_t local_count;
  /// For each term: the number of its row in `coefficients`, or the index where its table begins.
  const std::uint32_t* row;
  const double* coefficients;  ///< row by row, then three unused numbers
  bool with_sums;              ///< whether energy and virial are computed
  Vec3* force;                 ///< forces are added
  double energy;               ///< added to if `with_sums`, like `virial`
  double virial[6];            ///< sum of r_a f_b: xx yy zz xy xz yz
};

/// The terms of one kind that each molecule of a batch has.
struct TermsOfMolecule {
  std::uint32_t kind;  ///< in `bonded_table`
  std::size_t count;
  /// For atom k of term t at index t * atoms + k: its index in the molecule.
  const std::uint32_t* atoms;
  const std::uint32_t* row;    ///< as in BondedWork
  const double* coefficients;  ///< as in BondedWork
  double energy;               ///< added to if wanted, like `virial`
  double virial[6];            ///< sum of r_a f_b: xx yy zz xy xz yz
};

/// The terms of a batch of whole molecules of one kind.
struct MoleculeWork {
  MoleculeBatch molecules;
  TermsOfMolecule* terms;
  std::size_t kinds;  ///< in `terms`
  bool with_sums;     ///< whether energy and virial are computed
};

/// The kernels of all bonded terms for one instruction set.
struct BondedKernels {
  using Compute = void (*)(BondedWork& work);
  using ComputeMolecules = void (*)(MoleculeWork& work);
  struct OfTerm {
    Compute in_double, mixed;
  };
  const char* name;
  const OfTerm* terms;  ///< in the order of `bonded_table`
  ComputeMolecules molecules_in_double, molecules_mixed;
};

STERNA_KERNEL_GETTERS(BondedKernels, bonded_kernels);

}  // namespace sterna::md
