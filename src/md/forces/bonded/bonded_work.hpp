#pragma once

#include <cstddef>
#include <cstdint>

#include "md/core/vector.hpp"
#include "md/system/molecule_batch.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// No particle of this rank.
inline constexpr std::uint32_t no_target = ~std::uint32_t{0};

/// Terms of one kind that a rank computes one by one. Plain data, because the files compiled for one
/// instruction set must not instantiate code that others share.
struct BondedWork {
  const Position* position;
  std::size_t count;
  /// Of atom k of term t, number t * atoms + k: where its position is, an image perhaps.
  const std::uint32_t* places;
  /// The local particle that the particle behind the local ones is an image of, or no_target.
  const std::uint32_t* local_of_ghost;
  std::size_t local_count;
  /// Of each term: the number of its row in `coefficients`, or where its table begins there.
  const std::uint32_t* row;
  const double* coefficients;  ///< row by row, and three more numbers that nothing depends on
  bool with_sums;              ///< energy and virial are wanted
  Vec3* force;                 ///< is added to
  double energy;               ///< likewise where it is wanted, as is the next
  double virial[6];            ///< sum of r_a f_b: xx yy zz xy xz yz
};

/// Terms of one kind that each of some whole molecules has.
struct TermsOfMolecule {
  std::uint32_t kind;  ///< in `bonded_table`
  std::size_t count;
  /// Of atom k of term t, number t * atoms + k: its place in the molecule.
  const std::uint32_t* atoms;
  const std::uint32_t* row;    ///< as in BondedWork
  const double* coefficients;  ///< likewise
  double energy;               ///< is added to where it is wanted, as is the next
  double virial[6];            ///< sum of r_a f_b: xx yy zz xy xz yz
};

/// All terms of some whole molecules of one kind.
struct MoleculeWork {
  MoleculeBatch molecules;
  TermsOfMolecule* terms;
  std::size_t kinds;  ///< in `terms`
  bool with_sums;     ///< energy and virial are wanted
};

/// One instruction set's kernels of all bonded terms.
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

const BondedKernels& bonded_kernels_baseline();
const BondedKernels& bonded_kernels_avx2();
const BondedKernels& bonded_kernels_avx512();

}  // namespace sterna::md
