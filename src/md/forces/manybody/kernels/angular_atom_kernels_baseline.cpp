#define STERNA_KERNEL_NAME "baseline"
#include "md/forces/manybody/kernels/angular_atom_kernels.inl"

namespace sterna::md {

const AngularAtomKernels& angular_atom_kernels_baseline() {
  return kernels;
}

}  // namespace sterna::md
