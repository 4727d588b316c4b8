#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/forces/coulomb/fmm/kernels/fmm_kernels.inl"

namespace sterna::md {

const FmmInstructionSet& fmm_kernels_neon() {
  return instruction_set;
}

}  // namespace sterna::md
