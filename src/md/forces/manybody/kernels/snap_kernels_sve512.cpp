#define STERNA_KERNEL_NAME "sve512"
#include "md/forces/manybody/kernels/snap_kernels.inl"

namespace sterna::md {

const SnapKernels& snap_kernels_sve512() {
  return kernels;
}

}  // namespace sterna::md
