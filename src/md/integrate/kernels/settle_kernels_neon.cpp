#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/integrate/kernels/settle_kernels.inl"

namespace sterna::md {

const SettleKernels& settle_kernels_neon() {
  return kernels;
}

}  // namespace sterna::md
