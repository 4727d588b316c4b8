#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/forces/pair/kernels/charge_kernels.inl"

namespace sterna::md {

const ChargeKernels& charge_kernels_neon() {
  return kernels_of_charges;
}

}  // namespace sterna::md
