#pragma once

#include <string_view>
#include <vector>

#include "md/forces/manybody/bond_kernel_evaluator.hpp"
#include "md/forces/manybody/tersoff_work.hpp"
#include "md/model/tersoff.hpp"

namespace sterna::md {

/// Tersoff's potential on arrays: the kernels for one instruction set and precision, with the
/// tables of one potential.
class TersoffEvaluator final : public BondKernelEvaluator<TersoffWork, TersoffTable> {
 public:
  /// `kernels`: "auto" or an instruction set. Throws std::invalid_argument if this machine lacks
  /// it.
  TersoffEvaluator(const TersoffPotential& potential, Precision precision,
                   std::string_view kernels);
};

/// The kernels that this processor can run, widest first; the last is "baseline", which runs on
/// all.
std::vector<const TersoffKernels*> available_tersoff_kernels();

}  // namespace sterna::md
