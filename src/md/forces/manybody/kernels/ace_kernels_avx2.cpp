#define STERNA_KERNEL_NAME "avx2"
#include "md/forces/manybody/kernels/ace_kernels.inl"

namespace sterna::md {

const AceKernels& ace_kernels_avx2() {
  return kernels;
}

}  // namespace sterna::md
