#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/forces/manybody/kernels/snap_kernels.inl"

namespace sterna::md {

const SnapKernels& snap_kernels_neon() {
  return kernels;
}

}  // namespace sterna::md
