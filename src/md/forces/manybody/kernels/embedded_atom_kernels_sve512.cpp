#define STERNA_KERNEL_NAME "sve512"
#include "md/forces/manybody/kernels/embedded_atom_kernels.inl"

namespace sterna::md {

const EmbeddedAtomKernels& embedded_atom_kernels_sve512() {
  return kernels;
}

}  // namespace sterna::md
