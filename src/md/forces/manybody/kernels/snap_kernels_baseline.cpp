#define STERNA_KERNEL_NAME "baseline"
#include "md/forces/manybody/kernels/snap_kernels.inl"

namespace sterna::md {

const SnapKernels& snap_kernels_baseline() {
  return kernels;
}

}  // namespace sterna::md
