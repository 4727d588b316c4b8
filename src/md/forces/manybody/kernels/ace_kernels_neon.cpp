#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/forces/manybody/kernels/ace_kernels.inl"

namespace sterna::md {

const AceKernels& ace_kernels_neon() {
  return kernels;
}

}  // namespace sterna::md
