#define STERNA_KERNEL_NAME "sve256"
#include "md/forces/manybody/kernels/embedded_atom_kernels.inl"

namespace sterna::md {

const EmbeddedAtomKernels& embedded_atom_kernels_sve256() {
  return kernels;
}

}  // namespace sterna::md
