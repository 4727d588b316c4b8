#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/precision.hpp"
#include "md/forces/manybody/bond_evaluator.hpp"
#include "md/forces/manybody/tersoff_work.hpp"
#include "md/model/tersoff.hpp"
#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

/// Tersoff's potential on arrays: the kernels for one instruction set and precision, with the
/// tables of one potential.
class TersoffEvaluator final : public BondEvaluator {
 public:
  /// `kernels`: "auto" or an instruction set. Throws std::invalid_argument if this machine lacks
  /// it.
  TersoffEvaluator(const TersoffPotential& potential, Precision precision,
                   std::string_view kernels);

  std::string_view kernels() const override { return kernels_.name; }
  void compute(const Position* position, const NeighborRows& rows, const CellRange* cells,
               std::span<const std::uint32_t> which_cells, PaddedForce* force,
               EnergyAndVirial& sums) override;

 private:
  const TersoffKernels& kernels_;
  Precision precision_;
  TersoffForm form_;
  bool center_only_, distance_term_;
  std::vector<double> tables_;
  std::vector<float> tables_single_;
  AlignedBuffer<char> scratch_;
};

/// The kernels that this processor can run, widest first; the last is "baseline", which runs on
/// all.
std::vector<const TersoffKernels*> available_tersoff_kernels();

}  // namespace sterna::md
