#define STERNA_KERNEL_NAME "avx512"
#include "md/forces/molecular/kernels/molecular_kernels.inl"

namespace sterna::md {

const MolecularKernels& molecular_kernels_avx512() {
  return kernels;
}

}  // namespace sterna::md
