#define STERNA_KERNEL_NAME "sve512"
#include "md/forces/pair/kernels/pair_kernels.inl"

namespace sterna::md {

const PairKernels& pair_kernels_sve512() {
  return kernels;
}

}  // namespace sterna::md
