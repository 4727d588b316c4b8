#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/integrate/kernels/turn_kernels.inl"

namespace sterna::md {

const TurnKernels& turn_kernels_neon() {
  return kernels;
}

}  // namespace sterna::md
