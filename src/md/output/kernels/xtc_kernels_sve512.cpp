#define STERNA_KERNEL_NAME "sve512"
#include "md/output/kernels/xtc_kernels.inl"

namespace sterna::md {

const XtcKernels& xtc_kernels_sve512() {
  return kernels;
}

}  // namespace sterna::md
