#pragma once

#include <cstddef>
#include <cstdint>

#include "md/model/tersoff_form.hpp"
#include "md/neighbors/pair_work.hpp"
#include "md/system/padded_force.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// The range of a particle's neighbors in the array of all.
struct RowRange {
  std::uint32_t begin;
  std::uint32_t count;
};

/// The tables that the kernels read, with an entry for each ordered triple of types; see
/// TersoffParameters. Derived entries save arithmetic in the innermost loop.
enum class TersoffTable {
  repulsion,   ///< A exp(-lambda1 R): small exponents lose less in single precision
  attraction,  ///< B exp(-lambda2 R)
  minus_lambda1,
  minus_lambda2,
  R,
  quarter_pi_over_D,  ///< factor of r - R in the phase of the cutoff function
  inner,              ///< R - D
  n,
  beta,
  minus_half_over_n,
  smallest_power,  ///< (beta zeta)^n below which the bond order rounds to 1
  gamma,
  gamma_c2_over_d2,
  d2,
  cos_theta0,
  lambda3,
  linear,  ///< 1 if m = 1, else 0
  cubic,   ///< 1 if m = 3, else 0
  // With nuclei:
  nuclear_strength,
  minus_inverse_screening,
  fermi_center,
  minus_fermi_steepness,
  // Modified; `n` has eta, and `beta` is 1:
  slope_factor,  ///< -eta / (2 n)
  c1,
  c2,
  c3,
  c4,
  minus_c5,
  count
};

/// The number of atoms that are sorted together by their number of bonds.
inline constexpr std::uint32_t atoms_of_block = 256;

/// The data that the kernels read and write. Plain data, because the files compiled for one
/// instruction set must not instantiate code that others share.
struct TersoffWork {
  const Position* position;
  PaddedForce* force;    ///< of local particles and ghosts; forces are added
  const RowRange* rows;  ///< of local particles; includes the skin
  const std::uint32_t* neighbors;
  const CellRange* cells;

  // Tables of TersoffTable::count times type_count^3 entries, in one of the precisions.
  TersoffForm form;
  int type_count;
  bool center_only;    ///< TersoffPotential::depends_on_center_only
  bool distance_term;  ///< whether any lambda3 is not 0
  const void* tables;
  const double* bond_cutoff_squared;  ///< type_count^2; bonds and third atoms beyond are left out

  std::uint32_t longest_row;
  void* scratch;  ///< scratch_bytes of the kernels, aligned to 64 bytes

  // Results, which are added to:
  double energy;
  double virial[6];  ///< sum r_a f_b: xx yy zz xy xz yz
};

/// The kernels for one instruction set: energy, virial and forces of the bonds of the given cells'
/// particles.
struct TersoffKernels {
  const char* name;  ///< "avx512"
  std::size_t (*scratch_bytes)(std::uint32_t longest_row);
  void (*compute_double)(TersoffWork&, const std::uint32_t* cells, std::size_t cell_count);
  void (*compute_mixed)(TersoffWork&, const std::uint32_t* cells, std::size_t cell_count);
};

const TersoffKernels& tersoff_kernels_baseline();
const TersoffKernels& tersoff_kernels_avx2();
const TersoffKernels& tersoff_kernels_avx512();

}  // namespace sterna::md
