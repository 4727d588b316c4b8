#define STERNA_KERNEL_NAME "avx512"
#include "md/integrate/kernels/constraint_kernels.inl"

namespace sterna::md {

const ConstraintKernels& constraint_kernels_avx512() {
  return kernels;
}

}  // namespace sterna::md
