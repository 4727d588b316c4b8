#define STERNA_KERNEL_NAME "avx2"
#include "md/forces/coulomb/fmm/kernels/fmm_kernels.inl"

namespace sterna::md {

const FmmInstructionSet& fmm_kernels_avx2() {
  return instruction_set;
}

}  // namespace sterna::md
