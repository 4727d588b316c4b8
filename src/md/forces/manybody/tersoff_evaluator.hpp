#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/precision.hpp"
#include "md/forces/manybody/neighbor_rows.hpp"
#include "md/forces/manybody/tersoff_work.hpp"
#include "md/model/tersoff.hpp"
#include "md/neighbors/pair_list.hpp"
#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

/// Tersoff's potential on arrays: the kernels for one instruction set and precision, with the
/// tables of one potential.
class TersoffEvaluator {
 public:
  /// `kernels`: "auto" or an instruction set. Throws std::invalid_argument if this machine lacks
  /// it.
  TersoffEvaluator(const TersoffPotential& potential, Precision precision,
                   std::string_view kernels);

  std::string_view kernels() const { return kernels_.name; }
  int type_count() const { return type_count_; }
  /// The squared distance up to which an atom of type j is a neighbor of an atom of type i.
  double bond_cutoff_squared(std::int64_t i, std::int64_t j) const {
    return bond_cutoff_squared_[static_cast<std::size_t>(i * type_count_ + j)];
  }

  /// Computes the bonds of the local particles of these cells, which are all in `rows`. Adds their
  /// forces to `force`, which has an entry for each position, and energy and virial to `sums`.
  void compute(const Position* position, const NeighborRows& rows, const CellRange* cells,
               std::span<const std::uint32_t> which_cells, PaddedForce* force,
               EnergyAndVirial& sums);

 private:
  const TersoffKernels& kernels_;
  Precision precision_;
  int type_count_;
  bool center_only_, distance_term_;
  std::vector<double> tables_, bond_cutoff_squared_;
  std::vector<float> tables_single_;
  AlignedBuffer<char> scratch_;
};

/// The kernels that this processor can run, widest first; the last is "baseline", which runs on
/// all.
std::vector<const TersoffKernels*> available_tersoff_kernels();

}  // namespace sterna::md
