#define STERNA_KERNEL_NAME "avx512"
#include "md/integrate/kernels/settle_kernels.inl"

namespace sterna::md {

const SettleKernels& settle_kernels_avx512() {
  return kernels;
}

}  // namespace sterna::md
