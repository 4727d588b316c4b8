#define STERNA_KERNEL_NAME "avx512"
#include "md/integrate/kernels/rotor_kernels.inl"

namespace sterna::md {

const RotorKernels& rotor_kernels_avx512() {
  return kernels;
}

}  // namespace sterna::md
