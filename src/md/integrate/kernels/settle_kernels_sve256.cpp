#define STERNA_KERNEL_NAME "sve256"
#include "md/integrate/kernels/settle_kernels.inl"

namespace sterna::md {

const SettleKernels& settle_kernels_sve256() {
  return kernels;
}

}  // namespace sterna::md
