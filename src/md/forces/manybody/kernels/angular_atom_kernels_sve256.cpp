#define STERNA_KERNEL_NAME "sve256"
#include "md/forces/manybody/kernels/angular_atom_kernels.inl"

namespace sterna::md {

const AngularAtomKernels& angular_atom_kernels_sve256() {
  return kernels;
}

}  // namespace sterna::md
