#define STERNA_KERNEL_NAME "baseline"
#include "md/forces/coulomb/fmm/kernels/fmm_kernels.inl"

namespace sterna::md {

const FmmInstructionSet& fmm_kernels_baseline() {
  return instruction_set;
}

}  // namespace sterna::md
