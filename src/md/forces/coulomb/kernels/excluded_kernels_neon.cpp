#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/forces/coulomb/kernels/excluded_kernels.inl"

namespace sterna::md {

const ExcludedKernels& excluded_kernels_neon() {
  return kernels;
}

}  // namespace sterna::md
