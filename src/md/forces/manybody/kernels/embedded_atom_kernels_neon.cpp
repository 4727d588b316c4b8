#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/forces/manybody/kernels/embedded_atom_kernels.inl"

namespace sterna::md {

const EmbeddedAtomKernels& embedded_atom_kernels_neon() {
  return kernels;
}

}  // namespace sterna::md
