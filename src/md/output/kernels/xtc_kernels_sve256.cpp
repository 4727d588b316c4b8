#define STERNA_KERNEL_NAME "sve256"
#include "md/output/kernels/xtc_kernels.inl"

namespace sterna::md {

const XtcKernels& xtc_kernels_sve256() {
  return kernels;
}

}  // namespace sterna::md
