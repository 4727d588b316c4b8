#define STERNA_KERNEL_NAME "sve256"
#include "md/forces/manybody/kernels/stillinger_weber_kernels.inl"

namespace sterna::md {

const StillingerWeberKernels& stillinger_weber_kernels_sve256() {
  return kernels;
}

}  // namespace sterna::md
