#define STERNA_KERNEL_NAME "baseline"
#include "md/integrate/kernels/settle_kernels.inl"

namespace sterna::md {

const SettleKernels& settle_kernels_baseline() {
  return kernels;
}

}  // namespace sterna::md
