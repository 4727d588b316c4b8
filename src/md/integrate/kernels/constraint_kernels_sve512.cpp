#define STERNA_KERNEL_NAME "sve512"
#include "md/integrate/kernels/constraint_kernels.inl"

namespace sterna::md {

const ConstraintKernels& constraint_kernels_sve512() {
  return kernels;
}

}  // namespace sterna::md
