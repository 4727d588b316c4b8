#define STERNA_KERNEL_NAME "baseline"
#include "md/forces/pair/kernels/charge_kernels.inl"

namespace sterna::md {

const ChargeKernels& charge_kernels_baseline() {
  return kernels_of_charges;
}

}  // namespace sterna::md
