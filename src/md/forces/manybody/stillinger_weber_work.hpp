#pragma once

#include <cstddef>
#include <cstdint>

#include "md/forces/manybody/bond_rows.hpp"

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
  BondRows rows;
  bool usual_powers;   ///< whether all p are 4 and all q are 0
  const void* tables;  ///< of StillingerWeberTable::count times type_count^3 entries

  // Results, which are added to:
  double energy;
  double virial[6];  ///< sum r_a f_b: xx yy zz xy xz yz
};

/// The kernels for one instruction set: energy, virial and forces of the terms whose center is a
/// particle of the given cells.
struct StillingerWeberKernels {
  const char* name;  ///< "avx512"
  std::size_t (*scratch_bytes)(std::uint32_t longest_row);
  void (*compute_double)(StillingerWeberWork&, const std::uint32_t* cells, std::size_t cell_count);
  void (*compute_mixed)(StillingerWeberWork&, const std::uint32_t* cells, std::size_t cell_count);
};

const StillingerWeberKernels& stillinger_weber_kernels_baseline();
const StillingerWeberKernels& stillinger_weber_kernels_avx2();
const StillingerWeberKernels& stillinger_weber_kernels_avx512();

}  // namespace sterna::md
