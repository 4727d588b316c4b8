#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/precision.hpp"
#include "md/forces/manybody/bond_evaluator.hpp"
#include "md/forces/manybody/stillinger_weber_work.hpp"
#include "md/model/stillinger_weber.hpp"
#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

/// The potential of Stillinger and Weber on arrays: the kernels for one instruction set and
/// precision, with the tables of one potential.
class StillingerWeberEvaluator final : public BondEvaluator {
 public:
  /// `kernels`: "auto" or an instruction set. Throws std::invalid_argument if this machine lacks
  /// it.
  StillingerWeberEvaluator(const StillingerWeberPotential& potential, Precision precision,
                           std::string_view kernels);

  std::string_view kernels() const override { return kernels_.name; }
  void compute(const Position* position, const NeighborRows& rows, const CellRange* cells,
               std::span<const std::uint32_t> which_cells, PaddedForce* force,
               EnergyAndVirial& sums) override;

 private:
  const StillingerWeberKernels& kernels_;
  Precision precision_;
  bool usual_powers_ = true;
  std::vector<double> tables_;
  std::vector<float> tables_single_;
  AlignedBuffer<char> scratch_;
};

/// The kernels that this processor can run, widest first; the last is "baseline", which runs on
/// all.
std::vector<const StillingerWeberKernels*> available_stillinger_weber_kernels();

}  // namespace sterna::md
