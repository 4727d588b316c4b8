#define STERNA_KERNEL_NAME "sve512"
#include "md/integrate/kernels/rotor_kernels.inl"

namespace sterna::md {

const RotorKernels& rotor_kernels_sve512() {
  return kernels;
}

}  // namespace sterna::md
