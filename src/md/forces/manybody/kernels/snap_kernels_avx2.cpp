#define STERNA_KERNEL_NAME "avx2"
#include "md/forces/manybody/kernels/snap_kernels.inl"

namespace sterna::md {

const SnapKernels& snap_kernels_avx2() {
  return kernels;
}

}  // namespace sterna::md
