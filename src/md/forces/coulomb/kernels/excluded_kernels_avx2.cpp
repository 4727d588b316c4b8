#define STERNA_KERNEL_NAME "avx2"
#include "md/forces/coulomb/kernels/excluded_kernels.inl"

namespace sterna::md {

const ExcludedKernels& excluded_kernels_avx2() {
  return kernels;
}

}  // namespace sterna::md
