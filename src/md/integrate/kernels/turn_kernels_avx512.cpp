#define STERNA_KERNEL_NAME "avx512"
#include "md/integrate/kernels/turn_kernels.inl"

namespace sterna::md {

const TurnKernels& turn_kernels_avx512() {
  return kernels;
}

}  // namespace sterna::md
