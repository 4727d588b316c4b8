#define STERNA_KERNEL_NAME "baseline"
#include "md/forces/manybody/kernels/tersoff_kernels.inl"

namespace sterna::md {

const TersoffKernels& tersoff_kernels_baseline() {
  return kernels;
}

}  // namespace sterna::md
