#define STERNA_KERNEL_NAME "baseline"
#include "md/forces/molecular/kernels/molecular_kernels.inl"

namespace sterna::md {

const MolecularKernels& molecular_kernels_baseline() {
  return kernels;
}

}  // namespace sterna::md
