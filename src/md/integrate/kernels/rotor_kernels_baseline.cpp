#define STERNA_KERNEL_NAME "baseline"
#include "md/integrate/kernels/rotor_kernels.inl"

namespace sterna::md {

const RotorKernels& rotor_kernels_baseline() {
  return kernels;
}

}  // namespace sterna::md
