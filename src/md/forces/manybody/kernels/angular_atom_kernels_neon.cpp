#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "md/forces/manybody/kernels/angular_atom_kernels.inl"

namespace sterna::md {

const AngularAtomKernels& angular_atom_kernels_neon() {
  return kernels;
}

}  // namespace sterna::md
