#define STERNA_KERNEL_NAME "avx2"
#include "md/integrate/kernels/turn_kernels.inl"

namespace sterna::md {

const TurnKernels& turn_kernels_avx2() {
  return kernels;
}

}  // namespace sterna::md
