#define STERNA_KERNEL_NAME "avx2"
#include "md/forces/manybody/kernels/embedded_atom_kernels.inl"

namespace sterna::md {

const EmbeddedAtomKernels& embedded_atom_kernels_avx2() {
  return kernels;
}

}  // namespace sterna::md
