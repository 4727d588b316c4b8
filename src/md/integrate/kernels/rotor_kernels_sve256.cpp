#define STERNA_KERNEL_NAME "sve256"
#include "md/integrate/kernels/rotor_kernels.inl"

namespace sterna::md {

const RotorKernels& rotor_kernels_sve256() {
  return kernels;
}

}  // namespace sterna::md
