#define STERNA_KERNEL_NAME "baseline"
#include "md/integrate/kernels/constraint_kernels.inl"

namespace sterna::md {

const ConstraintKernels& constraint_kernels_baseline() {
  return kernels;
}

}  // namespace sterna::md
