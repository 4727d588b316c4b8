#define STERNA_KERNEL_NAME "sve256"
#include "md/forces/molecular/kernels/molecular_kernels.inl"

namespace sterna::md {

const MolecularKernels& molecular_kernels_sve256() {
  return kernels;
}

}  // namespace sterna::md
