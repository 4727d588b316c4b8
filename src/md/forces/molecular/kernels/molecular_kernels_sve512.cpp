#define STERNA_KERNEL_NAME "sve512"
#include "md/forces/molecular/kernels/molecular_kernels.inl"

namespace sterna::md {

const MolecularKernels& molecular_kernels_sve512() {
  return kernels;
}

}  // namespace sterna::md
