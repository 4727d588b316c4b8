#define STERNA_KERNEL_NAME "avx2"
#include "md/forces/molecular/kernels/molecular_kernels.inl"

namespace sterna::md {

const MolecularKernels& molecular_kernels_avx2() {
  return kernels;
}

}  // namespace sterna::md
