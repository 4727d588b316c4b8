#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/forces/pair/kernels/pair_kernels.inl"

namespace sterna::md {

const PairKernels& pair_kernels_neon() {
  return kernels;
}

}  // namespace sterna::md
