#define STERNA_KERNEL_NAME "avx512"
#include "md/forces/coulomb/fmm/kernels/fmm_kernels.inl"

namespace sterna::md {

const FmmInstructionSet& fmm_kernels_avx512() {
  return instruction_set;
}

}  // namespace sterna::md
