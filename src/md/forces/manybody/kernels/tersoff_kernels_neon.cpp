#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/forces/manybody/kernels/tersoff_kernels.inl"

namespace sterna::md {

const TersoffKernels& tersoff_kernels_neon() {
  return kernels;
}

}  // namespace sterna::md
