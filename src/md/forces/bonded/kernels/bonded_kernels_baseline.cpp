#define STERNA_KERNEL_NAME "baseline"
#include "md/forces/bonded/kernels/bonded_kernels.inl"

namespace sterna::md {

const BondedKernels& bonded_kernels_baseline() {
  return kernels;
}

}  // namespace sterna::md
