#define STERNA_KERNEL_NAME "sve512"
#include "md/forces/bonded/kernels/bonded_kernels.inl"

namespace sterna::md {

const BondedKernels& bonded_kernels_sve512() {
  return kernels;
}

}  // namespace sterna::md
