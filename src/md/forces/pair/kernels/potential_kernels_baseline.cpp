#define STERNA_KERNEL_NAME "baseline"
#include "md/forces/pair/kernels/potential_kernels.inl"

namespace sterna::md {

const PotentialKernels& potential_kernels_baseline() {
  return kernels_of_potentials;
}

}  // namespace sterna::md
