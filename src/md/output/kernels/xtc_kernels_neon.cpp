#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/output/kernels/xtc_kernels.inl"

namespace sterna::md {

const XtcKernels& xtc_kernels_neon() {
  return kernels;
}

}  // namespace sterna::md
