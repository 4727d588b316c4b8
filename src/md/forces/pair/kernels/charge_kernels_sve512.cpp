#define STERNA_KERNEL_NAME "sve512"
#include "md/forces/pair/kernels/charge_kernels.inl"

namespace sterna::md {

const ChargeKernels& charge_kernels_sve512() {
  return kernels_of_charges;
}

}  // namespace sterna::md
