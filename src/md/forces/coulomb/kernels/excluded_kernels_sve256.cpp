#define STERNA_KERNEL_NAME "sve256"
#include "md/forces/coulomb/kernels/excluded_kernels.inl"

namespace sterna::md {

const ExcludedKernels& excluded_kernels_sve256() {
  return kernels;
}

}  // namespace sterna::md
