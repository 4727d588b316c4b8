#define STERNA_KERNEL_NAME "sve256"
#include "md/forces/manybody/kernels/tersoff_kernels.inl"

namespace sterna::md {

const TersoffKernels& tersoff_kernels_sve256() {
  return kernels;
}

}  // namespace sterna::md
