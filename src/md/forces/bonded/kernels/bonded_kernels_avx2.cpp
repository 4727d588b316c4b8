#define STERNA_KERNEL_NAME "avx2"
#include "md/forces/bonded/kernels/bonded_kernels.inl"

namespace sterna::md {

const BondedKernels& bonded_kernels_avx2() {
  return kernels;
}

}  // namespace sterna::md
