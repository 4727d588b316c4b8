#define STERNA_KERNEL_NAME "sve512"
#include "md/forces/pair/kernels/potential_kernels.inl"

namespace sterna::md {

const PotentialKernels& potential_kernels_sve512() {
  return kernels_of_potentials;
}

}  // namespace sterna::md
