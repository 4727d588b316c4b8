#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/integrate/kernels/rotor_kernels.inl"

namespace sterna::md {

const RotorKernels& rotor_kernels_neon() {
  return kernels;
}

}  // namespace sterna::md
