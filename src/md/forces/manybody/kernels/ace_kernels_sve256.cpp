#define STERNA_KERNEL_NAME "sve256"
#include "md/forces/manybody/kernels/ace_kernels.inl"

namespace sterna::md {

const AceKernels& ace_kernels_sve256() {
  return kernels;
}

}  // namespace sterna::md
