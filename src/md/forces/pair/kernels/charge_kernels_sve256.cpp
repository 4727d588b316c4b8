#define STERNA_KERNEL_NAME "sve256"
#include "md/forces/pair/kernels/charge_kernels.inl"

namespace sterna::md {

const ChargeKernels& charge_kernels_sve256() {
  return kernels_of_charges;
}

}  // namespace sterna::md
