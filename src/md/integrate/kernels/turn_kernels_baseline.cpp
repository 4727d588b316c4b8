#define STERNA_KERNEL_NAME "baseline"
#include "md/integrate/kernels/turn_kernels.inl"

namespace sterna::md {

const TurnKernels& turn_kernels_baseline() {
  return kernels;
}

}  // namespace sterna::md
