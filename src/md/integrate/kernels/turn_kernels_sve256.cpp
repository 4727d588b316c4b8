#define STERNA_KERNEL_NAME "sve256"
#include "md/integrate/kernels/turn_kernels.inl"

namespace sterna::md {

const TurnKernels& turn_kernels_sve256() {
  return kernels;
}

}  // namespace sterna::md
