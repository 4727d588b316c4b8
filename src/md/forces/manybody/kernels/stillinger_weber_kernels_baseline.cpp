#define STERNA_KERNEL_NAME "baseline"
#include "md/forces/manybody/kernels/stillinger_weber_kernels.inl"

namespace sterna::md {

const StillingerWeberKernels& stillinger_weber_kernels_baseline() {
  return kernels;
}

}  // namespace sterna::md
