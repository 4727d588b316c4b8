#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/forces/molecular/kernels/molecular_kernels.inl"

namespace sterna::md {

const MolecularKernels& molecular_kernels_neon() {
  return kernels;
}

}  // namespace sterna::md
