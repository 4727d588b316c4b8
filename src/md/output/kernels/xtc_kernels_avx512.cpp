#define STERNA_KERNEL_NAME "avx512"
#include "md/output/kernels/xtc_kernels.inl"

namespace sterna::md {

const XtcKernels& xtc_kernels_avx512() {
  return kernels;
}

}  // namespace sterna::md
