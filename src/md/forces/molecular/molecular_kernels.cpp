#include "md/forces/molecular/molecular_kernels.hpp"

#include "md/simd/instruction_set.hpp"

namespace sterna::md {

std::vector<const MolecularKernels*> available_molecular_kernels() {
  return available_kernels<MolecularKernels>({STERNA_WIDE_KERNELS(molecular_kernels_avx512),
                                              STERNA_WIDE_KERNELS(molecular_kernels_avx2),
                                              molecular_kernels_baseline});
}

const MolecularKernels& select_molecular_kernels(std::string_view name) {
  return select_kernels(available_molecular_kernels(), name);
}

}  // namespace sterna::md
