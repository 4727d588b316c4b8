#define STERNA_KERNEL_NAME "avx2"
#include "md/integrate/kernels/rotor_kernels.inl"

namespace sterna::md {

const RotorKernels& rotor_kernels_avx2() {
  return kernels;
}

}  // namespace sterna::md
