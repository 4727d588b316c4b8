#define STERNA_KERNEL_NAME "sve256"
#include "md/integrate/kernels/constraint_kernels.inl"

namespace sterna::md {

const ConstraintKernels& constraint_kernels_sve256() {
  return kernels;
}

}  // namespace sterna::md
