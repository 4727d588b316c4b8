#define STERNA_KERNEL_NAME "sve256"
#include "md/forces/pair/kernels/pair_kernels.inl"

namespace sterna::md {

const PairKernels& pair_kernels_sve256() {
  return kernels;
}

}  // namespace sterna::md
