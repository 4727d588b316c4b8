#define STERNA_KERNEL_NAME "avx2"
#include "md/forces/manybody/kernels/stillinger_weber_kernels.inl"

namespace sterna::md {

const StillingerWeberKernels& stillinger_weber_kernels_avx2() {
  return kernels;
}

}  // namespace sterna::md
