#define STERNA_KERNEL_NAME "baseline"
#include "md/forces/coulomb/kernels/excluded_kernels.inl"

namespace sterna::md {

const ExcludedKernels& excluded_kernels_baseline() {
  return kernels;
}

}  // namespace sterna::md
