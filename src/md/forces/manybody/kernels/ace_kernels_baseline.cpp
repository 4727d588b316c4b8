#define STERNA_KERNEL_NAME "baseline"
#include "md/forces/manybody/kernels/ace_kernels.inl"

namespace sterna::md {

const AceKernels& ace_kernels_baseline() {
  return kernels;
}

}  // namespace sterna::md
