#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/forces/manybody/kernels/stillinger_weber_kernels.inl"

namespace sterna::md {

const StillingerWeberKernels& stillinger_weber_kernels_neon() {
  return kernels;
}

}  // namespace sterna::md
