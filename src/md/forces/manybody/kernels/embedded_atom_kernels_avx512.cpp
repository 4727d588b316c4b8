#define STERNA_KERNEL_NAME "avx512"
#include "md/forces/manybody/kernels/embedded_atom_kernels.inl"

namespace sterna::md {

const EmbeddedAtomKernels& embedded_atom_kernels_avx512() {
  return kernels;
}

}  // namespace sterna::md
