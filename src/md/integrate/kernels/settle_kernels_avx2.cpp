#define STERNA_KERNEL_NAME "avx2"
#include "md/integrate/kernels/settle_kernels.inl"

namespace sterna::md {

const SettleKernels& settle_kernels_avx2() {
  return kernels;
}

}  // namespace sterna::md
