#define STERNA_KERNEL_NAME "avx2"
#include "md/forces/pair/kernels/charge_kernels.inl"

namespace sterna::md {

const ChargeKernels& charge_kernels_avx2() {
  return kernels_of_charges;
}

}  // namespace sterna::md
