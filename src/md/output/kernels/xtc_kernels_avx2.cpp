#define STERNA_KERNEL_NAME "avx2"
#include "md/output/kernels/xtc_kernels.inl"

namespace sterna::md {

const XtcKernels& xtc_kernels_avx2() {
  return kernels;
}

}  // namespace sterna::md
