#define STERNA_KERNEL_NAME "avx512"
#include "md/forces/pair/kernels/charge_kernels.inl"

namespace sterna::md {

const ChargeKernels& charge_kernels_avx512() {
  return kernels_of_charges;
}

}  // namespace sterna::md
