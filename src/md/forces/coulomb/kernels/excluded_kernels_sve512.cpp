#define STERNA_KERNEL_NAME "sve512"
#include "md/forces/coulomb/kernels/excluded_kernels.inl"

namespace sterna::md {

const ExcludedKernels& excluded_kernels_sve512() {
  return kernels;
}

}  // namespace sterna::md
