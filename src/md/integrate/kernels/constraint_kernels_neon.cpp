#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/integrate/kernels/constraint_kernels.inl"

namespace sterna::md {

const ConstraintKernels& constraint_kernels_neon() {
  return kernels;
}

}  // namespace sterna::md
