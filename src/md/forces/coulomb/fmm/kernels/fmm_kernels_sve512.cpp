#define STERNA_KERNEL_NAME "sve512"
#include "md/forces/coulomb/fmm/kernels/fmm_kernels.inl"

namespace sterna::md {

const FmmInstructionSet& fmm_kernels_sve512() {
  return instruction_set;
}

}  // namespace sterna::md
