#define STERNA_KERNEL_NAME "avx2"
#include "md/forces/pair/kernels/potential_kernels.inl"

namespace sterna::md {

const PotentialKernels& potential_kernels_avx2() {
  return kernels_of_potentials;
}

}  // namespace sterna::md
