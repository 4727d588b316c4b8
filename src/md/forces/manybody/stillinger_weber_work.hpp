#pragma once

#include "md/forces/manybody/bond_rows.hpp"
#include "md/simd/kernel_getters.hpp"

namespace sterna::md {

/// The tables that the kernels read, with an entry for each ordered triple of types; see
/// StillingerWeberParameters. Those of bonds are read at the triple i, j, j.
enum class StillingerWeberTable {
  strength,  ///< lambda epsilon
  cos_theta0,
  cutoff,   ///< a sigma, where the exponents end
  closest,  ///< how near to it they are computed
  sigma,
  gamma_sigma,
  repulsion,   ///< A epsilon B
  attraction,  ///< A epsilon
  p,
  q,
  count
};

/// The data that the kernels read and write.
struct StillingerWeberWork {
  BondRows rows;      ///< with StillingerWeberTable::count tables of type_count^3 entries
  bool usual_powers;  ///< whether all p are 4 and all q are 0
};

using StillingerWeberKernels = BondKernels<StillingerWeberWork>;

STERNA_KERNEL_GETTERS(StillingerWeberKernels, stillinger_weber_kernels);

}  // namespace sterna::md
