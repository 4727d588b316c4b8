#define STERNA_KERNEL_NAME "baseline"
#include "md/forces/pair/kernels/pair_kernels.inl"

namespace sterna::md {

const PairKernels& pair_kernels_baseline() {
  return kernels;
}

}  // namespace sterna::md
