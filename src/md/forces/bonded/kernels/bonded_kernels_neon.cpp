#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/forces/bonded/kernels/bonded_kernels.inl"

namespace sterna::md {

const BondedKernels& bonded_kernels_neon() {
  return kernels;
}

}  // namespace sterna::md
