#define STERNA_KERNEL_NAME "avx2"
#include "md/integrate/kernels/constraint_kernels.inl"

namespace sterna::md {

const ConstraintKernels& constraint_kernels_avx2() {
  return kernels;
}

}  // namespace sterna::md
