#include "md/forces/molecular/molecular_kernels.hpp"

#include "md/simd/instruction_set.hpp"

namespace sterna::md {

std::vector<const MolecularKernels*> available_molecular_kernels() {
  return available_kernels<MolecularKernels>(STERNA_KERNEL_FAMILY(molecular_kernels));
}

const MolecularKernels& select_molecular_kernels(std::string_view name) {
  return select_kernels(available_molecular_kernels(), name);
}

}  // namespace sterna::md
