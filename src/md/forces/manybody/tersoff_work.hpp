#pragma once

#include "md/forces/manybody/bond_rows.hpp"
#include "md/model/tersoff_form.hpp"
#include "md/simd/kernel_getters.hpp"

namespace sterna::md {

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

/// The data that the kernels read and write.
struct TersoffWork {
  BondRows rows;  ///< with TersoffTable::count tables of type_count^3 entries
  TersoffForm form;
  bool center_only;    ///< TersoffPotential::depends_on_center_only
  bool distance_term;  ///< whether any lambda3 is not 0
};

using TersoffKernels = BondKernels<TersoffWork>;

STERNA_KERNEL_GETTERS(TersoffKernels, tersoff_kernels);

}  // namespace sterna::md
