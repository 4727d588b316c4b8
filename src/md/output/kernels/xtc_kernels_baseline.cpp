#define STERNA_KERNEL_NAME "baseline"
#include "md/output/kernels/xtc_kernels.inl"

namespace sterna::md {

const XtcKernels& xtc_kernels_baseline() {
  return kernels;
}

}  // namespace sterna::md
