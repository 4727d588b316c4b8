#define STERNA_KERNEL_NAME "sve512"
#include "md/forces/manybody/kernels/ace_kernels.inl"

namespace sterna::md {

const AceKernels& ace_kernels_sve512() {
  return kernels;
}

}  // namespace sterna::md
