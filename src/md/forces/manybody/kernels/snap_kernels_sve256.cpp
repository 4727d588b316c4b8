#define STERNA_KERNEL_NAME "sve256"
#include "md/forces/manybody/kernels/snap_kernels.inl"

namespace sterna::md {

const SnapKernels& snap_kernels_sve256() {
  return kernels;
}

}  // namespace sterna::md
