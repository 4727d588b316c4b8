#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/energy_and_virial.hpp"
#include "md/forces/manybody/neighbor_rows.hpp"
#include "md/neighbors/pair_list.hpp"
#include "md/system/padded_force.hpp"

namespace sterna::md {

/// A potential of atoms with bonds to their neighbors, on arrays: the energy is a sum over atoms,
/// whose terms depend on their bonds.
class BondEvaluator {
 public:
  virtual ~BondEvaluator() = default;

  virtual std::string_view kernels() const = 0;

  int type_count() const { return type_count_; }
  /// The squared distance up to which an atom of type j is a neighbor of an atom of type i.
  double bond_cutoff_squared(std::int64_t i, std::int64_t j) const {
    return bond_cutoff_squared_[static_cast<std::size_t>(i * type_count_ + j)];
  }

  /// Computes the terms of the local particles of these cells, which are all in `rows`. Adds their
  /// forces to `force`, which has an entry for each position, and energy and virial to `sums`.
  void compute(const Position* position, const NeighborRows& rows, const CellRange* cells,
               std::span<const std::uint32_t> which_cells, PaddedForce* force,
               EnergyAndVirial& sums) {
    BondRows bonds{.position = position,
                   .force = force,
                   .rows = rows.rows.data(),
                   .neighbors = rows.neighbors.data(),
                   .cells = cells,
                   .type_count = type_count_,
                   .bond_cutoff_squared = bond_cutoff_squared_.data(),
                   .tables = nullptr,
                   .longest_row = rows.longest,
                   .scratch = nullptr,
                   .energy = 0.0,
                   .virial = {}};
    compute_cells(bonds, which_cells);
    sums.energy += bonds.energy;
    for (int k = 0; k < 6; ++k) sums.virial[k] += bonds.virial[k];
  }

 protected:
  BondEvaluator() = default;
  BondEvaluator(const BondEvaluator&) = default;
  BondEvaluator& operator=(const BondEvaluator&) = default;

  /// Computes the cells' terms. Sets tables and scratch memory, and adds to energy and virial.
  virtual void compute_cells(BondRows& rows, std::span<const std::uint32_t> which_cells) = 0;

  int type_count_ = 0;
  std::vector<double> bond_cutoff_squared_;  ///< type_count^2
};

}  // namespace sterna::md
