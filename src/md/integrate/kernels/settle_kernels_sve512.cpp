#define STERNA_KERNEL_NAME "sve512"
#include "md/integrate/kernels/settle_kernels.inl"

namespace sterna::md {

const SettleKernels& settle_kernels_sve512() {
  return kernels;
}

}  // namespace sterna::md
