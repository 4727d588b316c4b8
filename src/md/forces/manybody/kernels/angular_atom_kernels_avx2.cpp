#define STERNA_KERNEL_NAME "avx2"
#include "md/forces/manybody/kernels/angular_atom_kernels.inl"

namespace sterna::md {

const AngularAtomKernels& angular_atom_kernels_avx2() {
  return kernels;
}

}  // namespace sterna::md
