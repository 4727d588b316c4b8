#define STERNA_KERNEL_NAME "avx2"
#include "md/forces/pair/kernels/pair_kernels.inl"

namespace sterna::md {

const PairKernels& pair_kernels_avx2() {
  return kernels;
}

}  // namespace sterna::md
