#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/forces/pair/kernels/potential_kernels.inl"

namespace sterna::md {

const PotentialKernels& potential_kernels_neon() {
  return kernels_of_potentials;
}

}  // namespace sterna::md
