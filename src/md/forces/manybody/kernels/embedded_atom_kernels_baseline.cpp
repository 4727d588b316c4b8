#define STERNA_KERNEL_NAME "baseline"
#include "md/forces/manybody/kernels/embedded_atom_kernels.inl"

namespace sterna::md {

const EmbeddedAtomKernels& embedded_atom_kernels_baseline() {
  return kernels;
}

}  // namespace sterna::md
