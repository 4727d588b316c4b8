#define STERNA_KERNEL_NAME "sve512"
#include "md/integrate/kernels/turn_kernels.inl"

namespace sterna::md {

const TurnKernels& turn_kernels_sve512() {
  return kernels;
}

}  // namespace sterna::md
