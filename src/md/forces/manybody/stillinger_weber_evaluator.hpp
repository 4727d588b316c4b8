#pragma once

#include <string_view>
#include <vector>

#include "md/forces/manybody/bond_kernel_evaluator.hpp"
#include "md/forces/manybody/stillinger_weber_work.hpp"
#include "md/model/stillinger_weber.hpp"

namespace sterna::md {

/// The potential of Stillinger and Weber on arrays: the kernels for one instruction set and
/// precision, with the tables of one potential.
class StillingerWeberEvaluator final
    : public BondKernelEvaluator<StillingerWeberWork, StillingerWeberTable> {
 public:
  /// `kernels`: "auto" or an instruction set. Throws std::invalid_argument if this machine lacks
  /// it.
  StillingerWeberEvaluator(const StillingerWeberPotential& potential, Precision precision,
                           std::string_view kernels);
};

/// The kernels that this processor can run, widest first; the last is "baseline", which runs on
/// all.
std::vector<const StillingerWeberKernels*> available_stillinger_weber_kernels();

}  // namespace sterna::md
